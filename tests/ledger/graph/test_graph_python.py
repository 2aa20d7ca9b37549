"""Python names, resolved by scopes and imports."""

from __future__ import annotations

from typing import Any

import pytest

CASES: dict[str, tuple[dict[str, str], list[str], list[str]]] = {
    "an absolute import through a package": (
        {"pkg/__init__.py": "", "pkg/a.py": "def f(): pass\n", "use.py": "from pkg.a import f\ndef g():\n    f()\n"},
        ["call use.py::g -> pkg/a.py::f", "import use.py -> pkg/a.py::f"],
        [],
    ),
    "a package under a source folder": (
        {"src/pkg/__init__.py": "", "src/pkg/a.py": "def f(): pass\n", "tests/t.py": "import pkg.a\npkg.a.f()\n"},
        ["call tests/t.py -> src/pkg/a.py::f"],
        [],
    ),
    "a relative import with an alias": (
        {"p/__init__.py": "", "p/a.py": "def f(): pass\n", "p/b.py": "from .a import f as g\ndef h():\n    g()\n"},
        ["call p/b.py::h -> p/a.py::f"],
        [],
    ),
    "a relative import of a module": (
        {
            "p/__init__.py": "",
            "p/a.py": "def f(): pass\n",
            "p/q/__init__.py": "",
            "p/q/b.py": "from .. import a\na.f()\n",
        },
        ["call p/q/b.py -> p/a.py::f", "import p/q/b.py -> p/a.py"],
        [],
    ),
    "a name handed on by a package": (
        {"p/__init__.py": "from .a import f as f\n", "p/a.py": "def f(): pass\n", "u.py": "import p\np.f()\n"},
        ["call u.py -> p/a.py::f"],
        [],
    ),
    "a star import": (
        {"a.py": "def f(): pass\ndef _hidden(): pass\n", "u.py": "from a import *\nf()\n_hidden()\n"},
        ["call u.py -> a.py::f"],
        ["call u.py -> a.py::_hidden"],
    ),
    "methods of self, inherited from another file": (
        {
            "base.py": "class Base:\n    def run(self): pass\n",
            "use.py": "from base import Base\nclass Child(Base):\n    def go(self):\n        self.run()\n",
        },
        ["call use.py::Child.go -> base.py::Base.run", "inherit use.py::Child -> base.py::Base"],
        [],
    ),
    "super": (
        {"a.py": "class A:\n    def m(self): pass\nclass B(A):\n    def m(self):\n        super().m()\n"},
        ["call a.py::B.m -> a.py::A.m"],
        ["call a.py::B.m -> a.py::B.m"],
    ),
    "depth first, left to right": (
        {
            "a.py": "class L:\n    def m(self): pass\nclass R:\n    def m(self): pass\n"
            "class C(L, R):\n    def go(self):\n        self.m()\n"
        },
        ["call a.py::C.go -> a.py::L.m"],
        ["call a.py::C.go -> a.py::R.m"],
    ),
    "a constructor": (
        {"a.py": "class A:\n    def __init__(self): pass\nclass B(A): pass\ndef f():\n    B()\n"},
        ["call a.py::f -> a.py::B", "call a.py::f -> a.py::A.__init__"],
        [],
    ),
    "receivers that were annotated or constructed": (
        {
            "a.py": "class A:\n    def m(self): pass\n    def n(self): pass\n    def o(self): pass\n",
            "b.py": "from typing import Optional\nfrom a import A\n"
            "def f(x: Optional[A], y: 'A | None'):\n    x.m()\n    y.n()\n    z = A()\n    z.o()\n",
        },
        ["call b.py::f -> a.py::A.m", "call b.py::f -> a.py::A.n", "call b.py::f -> a.py::A.o"],
        [],
    ),
    "attributes of self": (
        {
            "a.py": "class E:\n    def start(self): pass\n"
            "class Car:\n    def __init__(self):\n        self.e = E()\n    def go(self):\n        self.e.start()\n"
        },
        ["call a.py::Car.go -> a.py::E.start"],
        [],
    ),
    "what a function returns": (
        {"a.py": "class A:\n    def m(self): pass\ndef make() -> A: ...\ndef f():\n    make().m()\n"},
        ["call a.py::f -> a.py::A.m", "call a.py::f -> a.py::make"],
        [],
    ),
    "a nested function before one of the module": (
        {"a.py": "def g(): pass\ndef f():\n    def g(): pass\n    g()\n"},
        ["call a.py::f -> a.py::f.g"],
        ["call a.py::f -> a.py::g"],
    ),
    "the scope of a class, which its methods do not see": (
        {"a.py": "def g(): pass\nclass A:\n    def g(self): pass\n    def f(self):\n        g()\n"},
        ["call a.py::A.f -> a.py::g"],
        ["call a.py::A.f -> a.py::A.g"],
    ),
    "a decorator, an annotation, a default, a callback": (
        {
            "a.py": "def deco(f): return f\ndef cb(): pass\nclass T: pass\nLIMIT = 3\n"
            "@deco\ndef f(x: T, n=LIMIT):\n    return map(cb, [])\n"
        },
        [
            "call a.py -> a.py::deco",
            "use a.py::f -> a.py::T",
            "use a.py::f -> a.py::cb",
            "use a.py::f -> a.py::LIMIT",
        ],
        [],
    ),
    "a property read without a call": (
        {
            "a.py": "class A:\n    @property\n    def size(self): ...\n    def f(self):\n        return self.size\n",
        },
        ["use a.py::A.f -> a.py::A.size"],
        [],
    ),
    "a parameter that hides a function": (
        {"a.py": "def get(): pass\ndef f(get):\n    get()\n    return get\n"},
        [],
        ["call a.py::f -> a.py::get", "use a.py::f -> a.py::get"],
    ),
    "a local variable that hides a function": (
        {"a.py": "def get(): pass\ndef f(x):\n    for get in x:\n        get()\n"},
        [],
        ["call a.py::f -> a.py::get"],
    ),
    "a module of the standard library beside one of the project of that name": (
        {"lib/logging.py": "def info(): pass\n", "pkg/__init__.py": "", "pkg/u.py": "import logging\nlogging.info()\n"},
        ["call pkg/u.py -> (logging.info)"],
        ["call pkg/u.py -> lib/logging.py::info"],
    ),
    "a dependency's class as a base": (
        {"a.py": "from dep import Base\nclass A(Base):\n    def f(self):\n        self.run()\ndef run(): pass\n"},
        ["inherit a.py::A -> (dep.Base)"],
        ["call a.py::A.f -> a.py::run", "call a.py::A.f ~> a.py::run"],
    ),
    "prose in an annotation": (
        {"a.py": "from typing import Annotated\ndef route(): pass\nclass A:\n    x: Annotated[int, 'the route']\n"},
        [],
        ["use a.py::A.x -> a.py::route"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_python_resolves(code: Any, name: str) -> None:
    files, expected, refused = CASES[name]
    code.index(files)
    edges = code.edges()
    assert set(expected) <= edges
    assert not set(refused) & edges


def test_a_builtin_gives_no_edge_to_a_symbol_of_its_name(code: Any) -> None:
    code.index({"a.py": "def f(x):\n    print(len(x))\n", "b.py": "def print(): pass\ndef len(): pass\n"})
    assert code.edges("call") == set()


def test_an_unknown_receiver_is_matched_by_name_and_said_to_be(code: Any) -> None:
    code.index({"a.py": "class A:\n    def launch(self): pass\n", "b.py": "def f(x):\n    x.launch()\n"})
    assert code.edges("call") == {"call b.py::f ~> a.py::A.launch"}


def test_an_unknown_receiver_is_not_taken_for_a_module(code: Any) -> None:
    code.index({"a.py": "def launch(): pass\n", "b.py": "def f(x):\n    x.launch()\n"})
    assert code.edges("call") == set()


def test_a_name_that_many_share_is_left_without_a_target(code: Any) -> None:
    classes = "".join(f"class C{n}:\n    def launch(self): pass\n" for n in range(6))
    code.index({"a.py": classes, "b.py": "def f(x):\n    x.launch()\n"})
    assert code.edges("call") == {"call b.py::f ~> (launch)"}


def test_a_member_of_a_builtin_type_is_not_matched_by_name(code: Any) -> None:
    code.index({"a.py": "class A:\n    def append(self): pass\n", "b.py": "def f(x):\n    x.append(1)\n"})
    assert code.edges("call") == set()


def test_imports_that_lead_in_a_circle_end(code: Any) -> None:
    code.index({"a.py": "from b import x\nx()\n", "b.py": "from a import x\nx()\n"})
    assert {edge for edge in code.edges() if "::" in edge} == set()


def test_classes_that_inherit_each_other_end(code: Any) -> None:
    code.index({"a.py": "class A(B):\n    def f(self):\n        self.nope()\nclass B(A): pass\n"})
    assert code.edges("inherit") == {"inherit a.py::A -> a.py::B", "inherit a.py::B -> a.py::A"}


def test_an_edge_holds_the_body_of_its_source_as_it_was(code: Any) -> None:
    code.index({"a.py": "def g(): pass\ndef f():\n    g()\n"})
    fact = code.fact("a.py", "f")
    with code.store.read() as view:
        edges = view.graph.out_of(code.tree.project, [fact.id])
    assert [edge.source_hash for edge in edges] == [fact.body_hash]
