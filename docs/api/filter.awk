# awk -f filter.awk HEADER: the header with its comments as Doxygen reads them. Every line keeps its number.
#   - The comment that opens a file is about the file.
#   - A comment above a declaration is about it, and about those that follow without an empty line or another comment.
#   - A comment behind a declaration is about that one.
#   - Comments inside functions, above #define and above an empty line are for readers of the source only.
# A comment is plain text, but for `code` and for lines indented by three spaces or more, which are shown as they are written.

# What would be a command or markup is text; `code` and "strings" are so already.
function escaped(text,    result) {
  gsub(/\*\//, "* /", text)
  while (match(text, /`[^`]*`|"[^"]*"/)) {
    result = result plain(substr(text, 1, RSTART - 1)) substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
  }
  return result plain(text)
}

function plain(text) {
  gsub(/[\\@#<>%&]|[*][^ ]/, "\\\\&", text)
  gsub(/ \.( |$)/, " \\&middot; ", text)
  return text
}

# Line i of the collected comment.
function shown(i,    is_code, after, before) {
  is_code = comment[i] ~ /^   /
  before = is_code && comment[i - 1] !~ /^   / ? "<pre>" : ""
  after = is_code && (i == comments || comment[i + 1] !~ /^   /) ? "</pre>" : ""
  return before escaped(comment[i]) after
}

# Prints the collected comment above `line`, for Doxygen unless that is empty, a directive or a label.
function end_comment(line,    i, text, is_read) {
  if (!comments) return
  is_read = !file_done || (line !~ /^[ ]*(#.*|}.*|[a-z]+:)?$/)
  text = ""
  for (i = 1; i <= comments; ++i) text = text (comment[i] ~ /^   / && i > 1 ? "<br>" : "") shown(i) " "
  for (i = 1; i <= comments; ++i) {
    if (!is_read) print margin "//" comment[i]
    else print (i == 1 ? margin "/**" (file_done ? "" : " \\file " FILENAME " ") : "") shown(i) (i == comments ? " */" : "")
  }
  for (i in above) if (i + 0 >= length(margin)) delete above[i]
  if (is_read && file_done) {
    above[length(margin)] = text
    current = "/** " text "*/ "
    is_fresh = 1
  }
  file_done = 1
  comments = 0
}

# `int a = 1, b;` as `int a = 1; int b;` and `enum E { x } e;` as `enum E { x }; E e;`, since Doxygen gives a comment to the
# first name alone.
function one_by_one(line, doc,    names, type, count, i) {
  if (doc == "" && is_fresh) doc = current
  if (match(line, /\} [a-z_]+( = [^,(){}]+)?;$/) && line ~ /^ *enum class /) {
    split(line, names, " ")
    return substr(line, 1, RSTART) "; " doc names[3] substr(line, RSTART + 1)
  }
  if (line !~ /^ *[A-Za-z0-9_:<>* ]+ [*a-z_0-9]+( = [^,(){}]+|[{][0-9]+[}])?(, [*a-z_0-9]+( = [^,(){}]+|[{][0-9]+[}])?)+;$/) return line
  count = split(line, names, ", ")
  type = names[1]
  sub(/( = |[{]).*/, "", type)
  sub(/[^ ]+$/, "", type)
  line = names[1]
  for (i = 2; i <= count; ++i) line = line "; " doc type names[i]
  return line
}

# Prints the declaration that was collected, behind the comment that is about it.
function end_declaration(    i, doc) {
  if (behind != "") {
    doc = escaped(behind)
    delete above[indent]
  }
  else if (whole ~ /[ (]~|static_assert|[)] (const )?override/) doc = ""
  else if (whole ~ /= default;$/) doc = "Memberwise."
  else if (whole ~ /= delete;$/) doc = "There is none."
  else if (!is_fresh && indent in above) doc = above[indent]
  if (doc != "") doc = "/** " doc " */ "
  if (lines == 1) code[1] = one_by_one(code[1], doc)
  for (i = 1; i <= lines; ++i) print (i == 1 ? doc : "") code[i]
  lines = 0
  behind = whole = ""
  is_fresh = 0
}

{ match($0, /^ */); here = RLENGTH }

in_function { print; if ($0 ~ /^ *}/ && here == indent) in_function = 0; next }

/^ *\/\// && !/NOLINT/ && !lines {
  margin = substr($0, 1, here)
  comment[++comments] = substr($0, here + 3)
  next
}

{ end_comment($0) }

/^$/ { split("", above); print; next }
/^#/ || in_directive { in_directive = /\\$/; if (lines) code[++lines] = $0; else print; next }
/^ *}/ && !lines { in_enum = 0; for (i in above) if (i + 0 > here) delete above[i]; print; next }
/^ *(public|private|protected):$/ { print; next }

{
  line = $0
  if (!lines) indent = here
  if (match(line, /  \/\/ .*$/)) {
    if (line !~ /\/\/ NOLINT/) behind = behind (behind == "" ? "" : " ") substr(line, RSTART + 5)
    line = substr(line, 1, RSTART - 1)
    sub(/ +$/, "", line)
  }
  code[++lines] = line
  whole = whole " " line
  bare = whole  # without the parameters of a template, which may have defaults
  sub(/^ *template <.*> (struct|class) /, "class ", bare)
  is_type = bare ~ /^[^()=]*(struct|class|enum|union|namespace)[^()=]*\{$/
  if (line ~ /\{$/ && !is_type) in_function = 1
  if (line ~ /\{$/ && whole ~ /^ *enum/) in_enum = 1
  if (line ~ /[;{}]$/ || in_enum) end_declaration()
}

END { end_comment("") }
