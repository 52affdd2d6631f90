'use strict';
// Draws the timeline in the element `data`: rows of slices and counters over time, arrows, findings.

const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
let NAMES = 190;         // width of the column of names
const SLICE = 18, COUNTER = 30, GROUP = 22, GAP = 3;  // heights
const FOLDED_FROM = 9;   // devices above this number start folded

// ---- Data ----
// Decodes the numbers of a row: gap, duration, label; for a summary also its count and busy time.
function decodeRow(numbers) {
  const row = { begin: [], end: [], label: [], more: new Map() };
  for (let i = 0, at = 0; i < numbers.length; i += 3) {
    row.begin.push(at + numbers[i]);
    row.end.push(at += numbers[i] + numbers[i + 1]);
    row.label.push(numbers[i + 2]);
    if (numbers[i + 2] >= 0) continue;
    row.more.set(row.label.length - 1, { count: numbers[i + 3], busy: numbers[i + 4] });
    i += 2;
  }
  return row;
}

function decodeCounter(numbers) {
  const counter = { at: [], value: [], max: 0 };
  for (let i = 0, at = 0; i < numbers.length; i += 2) {
    counter.at.push(at += numbers[i]);
    counter.value.push(numbers[i + 1]);
    counter.max = Math.max(counter.max, numbers[i + 1]);
  }
  return counter;
}

const rows = new Map();    // by number: decoded row with its track
const groups = data.groups.map((name, i) => ({ name, folded: i >= FOLDED_FROM, tracks: [] }));
for (const track of data.tracks) {
  groups[track.group].tracks.push(track);
  if (track.points) track.counter = decodeCounter(track.points);
  track.depths = (track.rows || []).map((number, i) => {
    const row = { number, track, ...decodeRow(track.slices[i]) };
    rows.set(number, row);
    return row;
  });
}

// Lists of numbers by slice, with the key "row,position".
const key = (row, position) => row + ',' + position;
function collect(numbers, width, sliceAt) {
  const found = new Map();
  for (let i = 0; i < numbers.length; i += width) {
    const k = key(numbers[i + sliceAt], numbers[i + sliceAt + 1]);
    found.has(k) ? found.get(k).push(i) : found.set(k, [i]);
  }
  return found;
}
let leaving = null, arriving = null, detailed = null;  // built at the first selection
function index() {
  if (leaving) return;
  leaving = collect(data.arrows, 4, 0);
  arriving = collect(data.arrows, 4, 2);
  detailed = collect(data.details, 4, 0);
}
const marked = new Map();  // slices of findings: their findings
data.findings.forEach((finding, number) => {
  finding.at = [];
  for (let i = 0; i < finding.slices.length; i += 2) {
    const slice = { row: finding.slices[i], position: finding.slices[i + 1] };
    finding.at.push(slice);
    const k = key(slice.row, slice.position);
    marked.set(k, [...(marked.get(k) || []), number]);
  }
});
const alarms = [];  // arrows between slices of one finding
if (marked.size) {
  for (let i = 0; i < data.arrows.length; i += 4) {
    const from = marked.get(key(data.arrows[i], data.arrows[i + 1]));
    const to = marked.get(key(data.arrows[i + 2], data.arrows[i + 3]));
    const shared = from && to && from.find((number) => to.includes(number));
    if (shared >= 0) alarms.push({ arrow: i, finding: data.findings[shared], isFirst: !alarms.some((a) => a.finding === data.findings[shared]) });
  }
}

const alarmArrows = new Map(alarms.map((alarm) => [alarm.arrow, alarm.finding]));
const labelsOf = (label) => (label < 0 ? data.summaries[~label] : [label]);
const wordOf = (label) => data.words[data.labels[label][0]];
const kindOf = (label) => data.kinds[data.labels[label][1]];
function placeOf(label) {
  const [, , source, line] = data.labels[label];
  return source < 0 ? '' : data.sources[source].name + ':' + line;
}
const nameOf = (label) => [...new Set(labelsOf(label).map(wordOf))].slice(0, 3).join(', ');

// ---- Layout ----
let showsCounters = groups.length === 1;
let lines = [];       // what is shown from top to bottom: { y, height, group | row | track }
const lineOfRow = new Map();
function layout() {
  lines = [];
  lineOfRow.clear();
  let y = 0;
  const add = (line) => { lines.push({ y, ...line }); y += line.height; };
  groups.forEach((group, i) => {
    if (group.hidden && i > 0 && groups[i - 1].hidden) return;  // in the line of the first one
    add({ height: GROUP, group });
    if (group.folded) return;
    for (const track of group.tracks) {
      track.depths.forEach((row, depth) => {
        lineOfRow.set(row.number, lines.length);
        add({ height: SLICE + (depth + 1 === track.depths.length ? GAP : 0), row, track, depth });
      });
      if (showsCounters && track.counter && track.counter.max > 0) add({ height: COUNTER, track });
    }
  });
  $('height').style.height = Math.max(y, 1) + 'px';
}

const shownEnd = Math.max(data.end, 1) * (data.findings.some((finding) => finding.kind === 'deadlock') ? 1.14 : 1.02);
// The hidden devices from this one on, which share a line.
function hiddenFrom(group) {
  const first = groups.indexOf(group), end = groups.findIndex((each, i) => i >= first && !each.hidden);
  return groups.slice(first, end < 0 ? groups.length : end);
}

let from = 0, to = shownEnd;  // shown times
let selected = null, shownFinding = null, hits = null, hitSlices = [], hit = -1;
const canvas = $('canvas'), scroll = $('scroll'), axis = $('axis');
let width = 0, height = 0;
const x = (time) => NAMES + (time - from) / (to - from) * (width - NAMES);
const timeAt = (px) => from + (px - NAMES) / (width - NAMES) * (to - from);

function timeText(ns, step = ns, parts = 100) {
  const [unit, name] = step >= 1e9 ? [1e9, 's'] : step >= 1e6 ? [1e6, 'ms'] : step >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  return +(ns / unit).toFixed(Math.max(3, Math.ceil(Math.log10(parts)))) + ' ' + name;
}

// ---- Drawing ----
const colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['back', 'panel', 'text', 'dim', 'alarm']) colours[name] = style.getPropertyValue('--' + name).trim();
  colours.dark = document.documentElement.classList.contains('dark');
  fills.clear();
}
// One colour for each statement; waits are grey and copies have a narrow range of blue.
const fills = new Map();
function fill(label) {
  if (label < 0) return colours.dim;
  if (fills.has(label)) return fills.get(label);
  const [, , source, line] = data.labels[label];
  const kind = kindOf(label), light = colours.dark ? 36 : 76;
  const hue = (line * 137.5 + source * 61) % 360;
  const colour =
    kind === 'finding' ? colours.alarm :
    kind === 'wait' ? `hsl(220 6% ${light}%)` :
    kind === 'copy' ? `hsl(${195 + hue % 40} 55% ${light}%)` :
    kind === 'region' ? `hsl(${hue} 20% ${light + (colours.dark ? -8 : 10)}%)` :
    `hsl(${hue} 50% ${light}%)`;
  fills.set(label, colour);
  return colour;
}

let pending = 0;
const redraw = () => { pending ||= requestAnimationFrame(() => { pending = 0; draw(); }); };

function fit(target, w, h) {
  const ratio = window.devicePixelRatio || 1;
  for (const [side, size] of [['width', Math.round(w * ratio)], ['height', Math.round(h * ratio)]])
    if (target[side] !== size) target[side] = size;
  const pen = target.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, w, h);
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  return pen;
}

function draw() {
  width = scroll.clientWidth;
  NAMES = width < 700 ? 96 : 190;
  height = scroll.clientHeight;
  const pen = fit(canvas, width, height), top = scroll.scrollTop;
  drawAxis();
  for (const line of lines) {
    const y = line.y - top;
    if (y > height || y + line.height < 0) continue;
    if (line.group) drawGroup(pen, line, y);
    else if (line.row) drawRow(pen, line, y);
    else drawCounter(pen, line, y);
  }
  drawArrows(pen);
}

function ticks() {
  const rough = (to - from) / Math.max((width - NAMES) / 110, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-3)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const result = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) result.push(t);
  return { step, result };
}

function drawAxis() {
  const pen = fit(axis, width, 22), { step, result } = ticks();
  pen.fillStyle = colours.dim;
  pen.fillText('modelled time', 8, 11);
  for (const t of result) {
    pen.fillRect(x(t), 16, 1, 6);
    pen.fillText(timeText(Math.max(t, 0), Math.max(t, step), Math.max(t, 1) / step), x(t) + 3, 11);
  }
}

function drawGroup(pen, line, y) {
  pen.fillStyle = colours.panel;
  pen.fillRect(0, y, width, line.height);
  pen.fillStyle = colours.text;
  const more = hiddenFrom(line.group).length;
  pen.fillText((line.group.folded ? '▸ ' : '▾ ') + line.group.name + (more > 1 ? ` and ${more - 1} more` : ''), 8, y + line.height / 2);
}

function drawName(pen, text, y) {
  pen.fillStyle = colours.back;
  pen.fillRect(0, y, NAMES, SLICE + GAP);
  pen.fillStyle = colours.dim;
  pen.fillText(text, 16, y + SLICE / 2, NAMES - 22);
}

// First slice that ends after the time.
function firstAfter(ends, time) {
  let low = 0, high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function drawRow(pen, line, y) {
  const { row } = line;
  let covered = -1;  // pixels up to here are painted
  for (let i = firstAfter(row.end, from); i < row.begin.length && row.begin[i] <= to; i++) {
    const left = Math.max(x(row.begin[i]), NAMES), right = Math.min(x(row.end[i]), width);
    const isMarked = marked.size > 0 && marked.has(key(row.number, i));
    if (right < covered && !isMarked) continue;
    drawSlice(pen, row, i, left, Math.max(right - left, 1), y, isMarked);
    covered = Math.max(Math.floor(Math.max(right, left + 1)), covered);
  }
  if (line.depth === 0) drawName(pen, line.track.name, y);
}

function drawSlice(pen, row, i, left, wide, y, isMarked) {
  const label = row.label[i], isHit = hits && labelsOf(label).some((each) => hits.has(each));
  pen.globalAlpha = hits && !isHit ? 0.18 : 1;
  pen.fillStyle = fill(label);
  if (label < 0) pen.globalAlpha *= 0.35 + 0.5 * Math.min(1, row.more.get(i).busy / Math.max(row.end[i] - row.begin[i], 1));
  pen.fillRect(left, y + 1, wide > 3 ? wide - 0.5 : wide, SLICE - 2);
  if (wide > 26) {
    pen.save();
    pen.beginPath();
    pen.rect(left, y, wide - 3, SLICE);
    pen.clip();
    pen.fillStyle = label >= 0 && kindOf(label) === 'finding' ? colours.back : colours.text;
    pen.fillText((label < 0 ? row.more.get(i).count + ' × ' : '') + nameOf(label), left + 4, y + SLICE / 2 + 0.5);
    pen.restore();
  }
  pen.globalAlpha = 1;
  const isSelected = selected && selected.row === row.number && selected.position === i;
  if (!isMarked && !isSelected) return;
  pen.lineWidth = 2;
  pen.strokeStyle = isSelected ? colours.text : colours.alarm;
  pen.strokeRect(left, y + 1, Math.max(wide, 3), SLICE - 2);
}

function drawCounter(pen, line, y) {
  const { at, value, max } = line.track.counter, scale = (COUNTER - 10) / Math.max(max, 1e-300);
  pen.fillStyle = colours.dark ? '#3c6e8f' : '#9cc3dc';
  // A value holds until the next point; of the values within one pixel the largest is drawn.
  for (let i = Math.max(firstAfter(at, from) - 1, 0), pixel = -1, high = 0; i < at.length && at[i] <= to; i++) {
    const left = Math.max(x(at[i]), NAMES), right = i + 1 < at.length ? Math.min(x(at[i + 1]), width) : width;
    high = Math.floor(left) === pixel ? Math.max(high, value[i]) : value[i];
    pixel = Math.floor(left);
    pen.fillRect(pixel, y + COUNTER - 3 - high * scale, 1, high * scale);
    if (right > pixel + 1) pen.fillRect(pixel + 1, y + COUNTER - 3 - value[i] * scale, right - pixel - 1, value[i] * scale);
  }
  drawName(pen, line.track.name, y);
  pen.fillText('max ' + +max.toFixed(2) + ' ' + line.track.unit, 16, y + SLICE + 4, NAMES - 22);
}

// Position of a slice on the canvas; for a folded device, its heading.
function spot(row, position, atEnd) {
  const own = rows.get(row);
  const line = lines[lineOfRow.get(row)] || lines.findLast((each) => each.group && groups.indexOf(each.group) <= own.track.group);
  const left = Math.max(x(own.begin[position]), NAMES), right = Math.max(x(own.end[position]), NAMES);
  return { x: atEnd ? right : left, y: line.y - scroll.scrollTop + SLICE / 2, middle: (left + right) / 2 };
}

function drawArrows(pen) {
  pen.save();
  pen.beginPath();
  pen.rect(NAMES, 0, width - NAMES, height);
  pen.clip();
  if (selected) {
    index();
    const k = key(selected.row, selected.position);
    pen.strokeStyle = pen.fillStyle = colours.text;
    for (const i of [...(leaving.get(k) || []), ...(arriving.get(k) || [])]) if (!alarmArrows.has(i)) drawArrow(pen, i);
  }
  for (const alarm of alarms) if (alarm.finding === shownFinding) drawAlarm(pen, alarm);
  pen.restore();
}

const drawHead = (pen, at, side) => pen.fill(new Path2D(`M ${at.x} ${at.y} l ${side * 8} -4 v 8 z`));

function drawArrow(pen, i) {
  const a = spot(data.arrows[i], data.arrows[i + 1], true);
  const to = data.arrows.slice(i + 2, i + 4), label = rows.get(to[0]).label[to[1]];
  const b = spot(...to, label >= 0 && kindOf(label) === 'wait');
  const bend = Math.max(Math.abs(a.y - b.y) / 4, 24);
  pen.lineWidth = 1.3;
  pen.beginPath();
  pen.moveTo(a.x, a.y);
  pen.bezierCurveTo(a.x + bend, a.y, b.x - bend, b.y, b.x, b.y);
  pen.stroke();
  drawHead(pen, b, -1);
}

// A line between two slices of a finding: accesses of a race, or the signal that a wait lacks.
function drawAlarm(pen, { arrow, finding, isFirst }) {
  const isCycle = finding.kind === 'deadlock';
  const a = spot(data.arrows[arrow], data.arrows[arrow + 1], isCycle), b = spot(data.arrows[arrow + 2], data.arrows[arrow + 3], isCycle);
  if (!isCycle) [a.x, b.x] = [a.middle, b.middle];
  const side = Math.max(a.x, b.x) > width - 120 && !isCycle ? -1 : 1, isFlat = Math.abs(a.y - b.y) < 2 * SLICE;
  const bend = side * (Math.min(Math.max(Math.abs(a.y - b.y) / 3, 40), 90) + (a.y > b.y ? 24 : 0));
  const sag = isFlat ? (isCycle ? 16 : 44) : 0;
  Object.assign(pen, { strokeStyle: colours.alarm, fillStyle: colours.alarm, lineWidth: 2 });
  pen.setLineDash([6, 4]);
  pen.beginPath();
  pen.moveTo(a.x, a.y);
  pen.bezierCurveTo(a.x + bend, a.y + (isCycle ? -sag : sag), b.x + bend, b.y + sag, b.x, b.y);
  pen.stroke();
  pen.setLineDash([]);
  if (isCycle) drawHead(pen, b, 1);
  const y = (a.y + b.y) / 2 + (isFlat ? sag + 6 : 0);
  if (!isFirst || y < 0 || y > height) return;
  const text = isCycle ? 'missing signal' : 'not ordered', wide = pen.measureText(text).width + 8;
  const left = Math.min(Math.max((a.x + b.x) / 2 + bend * 0.75 - (isCycle ? 0 : wide / 2), NAMES), width - wide - 2);
  Object.assign(pen, { fillStyle: colours.back, lineWidth: 1 });
  pen.fillRect(left, y - 8, wide, 16);
  pen.strokeRect(left, y - 8, wide, 16);
  pen.fillStyle = colours.alarm;
  pen.fillText(text, left + 4, y);
}

// ---- Selection and search ----
function element(tag, text, parent) {
  const made = parent.appendChild(document.createElement(tag));
  made.textContent = text;
  return made;
}

function select(slice, moves) {
  selected = slice;
  index();
  if (moves) reveal(slice);
  showDetails();
  redraw();
}

function showDetails() {
  const row = rows.get(selected.row), i = selected.position, label = row.label[i];
  const box = $('details');
  box.textContent = '';
  element('h2', nameOf(label), box);
  const list = element('dl', '', box);
  const say = (name, value) => { element('dt', name, list); return element('dd', value, list); };
  say('track', groups[row.track.group].name + ', ' + row.track.name);
  const isOpen = label >= 0 && kindOf(label) === 'finding' && row.end[i] > row.begin[i];
  say('time', timeText(row.begin[i]) + (isOpen ? ', until the end of the run' : ' to ' + timeText(row.end[i]) + ', ' + timeText(row.end[i] - row.begin[i])));
  if (label < 0) {
    const { count, busy } = row.more.get(i);
    say('summary', `${count} slices, ${timeText(busy)} in all`);
    for (const each of labelsOf(label).slice(0, 20)) say(kindOf(each), wordOf(each) + '  ' + placeOf(each));
  } else if (placeOf(label)) {
    say('source', placeOf(label));
  }
  const k = key(selected.row, i);
  for (const at of detailed.get(k) || []) say(data.words[data.details[at + 2]], String(data.details[at + 3]));
  for (const [title, arrows, other] of [['from', arriving, 0], ['to', leaving, 2]])
    for (const at of arrows.get(k) || []) {
      const finding = alarmArrows.get(at), what = !finding ? title : finding.kind === 'race' ? 'not ordered with' : 'missing signal ' + title;
      follow(say(what, ''), data.arrows[at + other], data.arrows[at + other + 1]);
    }
  for (const number of marked.get(k) || []) say('finding', data.findings[number].text.split('\n')[0]);
  showSource(label < 0 ? labelsOf(label)[0] : label);
}

// A link to the slice at the other end of an arrow.
function follow(parent, rowNumber, position) {
  const row = rows.get(rowNumber);
  const link = element('a', `${nameOf(row.label[position])} (${groups[row.track.group].name}, ${row.track.name}, at ${timeText(row.begin[position])})`, parent);
  link.href = '#';
  link.onclick = (event) => { event.preventDefault(); select({ row: rowNumber, position }, true); };
}

function showSource(label) {
  const box = $('source'), [, , source, line] = data.labels[label];
  box.textContent = '';
  if (source < 0 || data.sources[source].text === null) return;
  const text = data.sources[source].text.split('\n'), first = Math.max(line - 5, 1);
  for (let n = first; n <= Math.min(line + 4, text.length); n++) {
    const shown = element('span', String(n).padStart(5) + '  ' + text[n - 1] + '\n', box);
    if (n === line) shown.className = 'here';
  }
}

function unfold(slices) {
  for (const slice of slices) Object.assign(groups[rows.get(slice.row).track.group], { folded: false, hidden: false });
  layout();
}

// Moves the view so that the slice is visible, and zooms out or in if it is wider or a point.
function reveal(slice) {
  const row = rows.get(slice.row);
  unfold([slice]);
  const begin = row.begin[slice.position], end = row.end[slice.position], span = to - from;
  if (end - begin > span || x(end) - x(begin) < 3) {
    const wanted = Math.max((end - begin) * 6, Math.min(span, data.end / 20), 1);
    from = (begin + end - wanted) / 2;
    to = from + wanted;
  } else if (begin < from || end > to) {
    from = (begin + end - span) / 2;
    to = from + span;
  }
  const line = lines[lineOfRow.get(slice.row)];
  if (line.y < scroll.scrollTop || line.y + SLICE > scroll.scrollTop + scroll.clientHeight)
    scroll.scrollTop = Math.max(0, line.y - scroll.clientHeight / 3);
}

function search(text) {
  const query = text.trim().toLowerCase().replace(/(:\d+):\d+$/, '$1');  // without the column
  [hits, hitSlices, hit] = [null, [], -1];
  if (query) {
    hits = new Set();
    data.labels.forEach((_, label) => {
      const isPlace = /:\d+$/.test(query) && placeOf(label).toLowerCase().endsWith(query);
      if (isPlace || wordOf(label).toLowerCase().includes(query)) hits.add(label);
    });
    for (const row of rows.values())
      for (let i = 0; i < row.label.length; i++)
        if (labelsOf(row.label[i]).some((label) => hits.has(label))) hitSlices.push({ row: row.number, position: i });
    const at = (slice) => rows.get(slice.row).begin[slice.position];
    hitSlices.sort((a, b) => at(a) - at(b) || a.row - b.row);
  }
  $('matches').textContent = query ? hitSlices.length + (hitSlices.length === 1 ? ' slice' : ' slices') : '';
  redraw();
}

function step(by) {
  if (!hitSlices.length) return;
  hit = hit < 0 && by < 0 ? hitSlices.length - 1 : (hit + by + hitSlices.length) % hitSlices.length;
  $('matches').textContent = `${hit + 1} of ${hitSlices.length}`;
  select(hitSlices[hit], true);
}

// ---- Input ----
function zoom(factor, px = (NAMES + width) / 2) {
  const time = timeAt(px), span = Math.min(Math.max((to - from) * factor, 1), data.end * 4 + 10);
  from = time - span * (time - from) / (to - from);
  to = from + span;
  redraw();
}
function move(by) {
  const span = to - from;
  from = Math.min(Math.max(from + by * span, -span / 2), data.end - span / 2);
  to = from + span;
  redraw();
}
const showAll = () => { [from, to] = [0, shownEnd]; redraw(); };

function sliceAt(px, py) {
  const y = py + scroll.scrollTop;
  const line = lines.find((each) => y >= each.y && y < each.y + each.height);
  if (!line || !line.row || px < NAMES) return { line };
  const slack = (to - from) / (width - NAMES) * 3, time = timeAt(px);
  let best = -1, distance = Infinity;
  for (let i = firstAfter(line.row.end, time - slack); i < line.row.begin.length && line.row.begin[i] <= time + slack; i++) {
    const isPoint = line.row.end[i] === line.row.begin[i];
    const away = Math.max(line.row.begin[i] - time, time - line.row.end[i], isPoint ? -slack : 0);
    if (isPoint ? away - slack < distance : away < distance) { best = i; distance = isPoint ? away - slack : away; }
  }
  return { line, slice: best < 0 ? null : { row: line.row.number, position: best } };
}

function hover(event) {
  const { slice } = sliceAt(event.offsetX, event.offsetY), row = slice && rows.get(slice.row);
  canvas.title = row ? `${nameOf(row.label[slice.position])}\n${timeText(row.end[slice.position] - row.begin[slice.position])}` : '';
}

let drag = null;
canvas.addEventListener('pointerdown', (event) => {
  drag = { x: event.offsetX, from, to, moved: false };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener('pointermove', (event) => {
  if (!drag) return hover(event);
  const by = event.offsetX - drag.x;
  if (Math.abs(by) > 3) drag.moved = true;
  if (!drag.moved) return;
  [from, to] = [drag.from, drag.to];
  move(-by / (width - NAMES));
});
canvas.addEventListener('pointerup', (event) => {
  const wasMoved = drag && drag.moved;
  drag = null;
  if (wasMoved) return;
  const { line, slice } = sliceAt(event.offsetX, event.offsetY);
  if (slice) return select(slice, false);
  if (!line || !line.group) return;
  if (line.group.hidden) hiddenFrom(line.group).forEach((group) => { group.hidden = false; });
  else line.group.folded = !line.group.folded;
  layout();
  redraw();
});
scroll.addEventListener('wheel', (event) => {
  const zooms = event.ctrlKey || event.metaKey;
  if (!zooms && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
  event.preventDefault();
  if (zooms) zoom(Math.exp(event.deltaY / 300), event.offsetX);
  else move((event.deltaX || event.deltaY) / 1000);
}, { passive: false });
scroll.addEventListener('scroll', redraw);
new ResizeObserver(redraw).observe(scroll);
document.addEventListener('keydown', (event) => {
  if (event.target === $('search')) {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') { $('search').value = ''; search(''); scroll.focus(); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    w: () => zoom(0.6), s: () => zoom(1 / 0.6), a: () => move(-0.2), d: () => move(0.2), 0: showAll,
    n: () => step(1), N: () => step(-1), '/': () => $('search').focus(),
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});
$('search').addEventListener('input', () => search($('search').value));
const buttons = {
  next: () => step(1), previous: () => step(-1), in: () => zoom(0.6), out: () => zoom(1 / 0.6), all: showAll,
  counters: () => { showsCounters = !showsCounters; layout(); redraw(); },
  theme: () => { document.documentElement.classList.toggle('dark'); readColours(); redraw(); },
};
for (const [id, action] of Object.entries(buttons)) $(id).onclick = action;

// Devices without a slice of the first finding are folded.
function showFindings() {
  const first = data.findings.find((finding) => finding.at.length);
  if (first) {
    groups.forEach((group) => { group.folded = group.hidden = true; });
    unfold(first.at.slice(0, 40));
    shownFinding = first;
  }
  for (const finding of data.findings) {
    const box = element('details', '', $('findings'));
    box.open = data.findings.length === 1 && window.innerHeight > 700;
    const [first, ...rest] = finding.text.split('\n');
    const summary = element('summary', '', box);
    const at = first.indexOf(finding.kind + ': ');
    element('b', finding.kind, summary);
    summary.append(': ' + first.slice(at + finding.kind.length + 2) + '  (' + first.slice(0, Math.max(at - 2, 0)) + ') ');
    if (finding.at.length) element('button', 'Show', summary).onclick = (event) => { event.preventDefault(); showFinding(finding); };
    element('pre', rest.join('\n'), box);
  }
}

// Shows the times of all slices of the finding.
function showFinding(finding) {
  const begins = finding.at.map((slice) => rows.get(slice.row).begin[slice.position]);
  const ends = finding.at.map((slice) => rows.get(slice.row).end[slice.position]);
  const first = Math.min(...begins), last = Math.max(...ends), around = Math.max((last - first) * 0.3, 1);
  shownFinding = finding;
  unfold(finding.at.slice(0, 40));
  select(finding.at[0], true);
  [from, to] = [first - around, last + around];
  redraw();
}

// ---- Start ----
$('title').textContent = document.title = data.title;
const summaries = data.summaries.length ? [...rows.values()].reduce((sum, row) => sum + row.more.size, 0) : 0;
if (summaries) $('note').textContent = `${data.all} slices; short ones are shown as ${summaries} summaries, without their arrows.`;
if (window.matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark');
showFindings();
readColours();
layout();
draw();
