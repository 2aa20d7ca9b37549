"""Ruby, Lua and shell: what a file loads is decided when it runs, so names beyond the file are matched by name."""

from __future__ import annotations

from moored.ledger.graph.families.family import Family, words

RUBY = Family(
    name="ruby",
    languages=frozenset({"ruby"}),
    own=frozenset({"self"}),
    implicit_members=True,
    open_types=True,
    builtins=words("""puts print p raise require require_relative attr_accessor attr_reader attr_writer include
extend lambda proc loop private public protected format"""),
    common=words("""new to_s to_a to_h to_i to_sym each map select reject first last size length empty? nil?
is_a? push join keys values merge freeze dup call"""),
    constructors=("initialize",),
)
LUA = Family(
    name="lua",
    languages=frozenset({"lua"}),
    own=frozenset({"self"}),
    builtins=words("""print pairs ipairs require type tostring tonumber error assert pcall setmetatable"""),
)
BASH = Family(
    name="bash",
    languages=frozenset({"bash", "shell", "sh"}),
    own=frozenset(),
    base=frozenset(),
    builtins=words("""echo cd exit return test export local source printf read set shift trap eval exec cat grep
sed awk rm cp mv mkdir ls git"""),
)
