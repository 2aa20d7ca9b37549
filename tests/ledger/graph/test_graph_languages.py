"""Names of the other languages, each in a small project of several files."""

from __future__ import annotations

from typing import Any

import pytest

CASES: dict[str, tuple[dict[str, str], list[str], list[str]]] = {
    "typescript: named, default and namespace imports": (
        {
            "src/a.ts": "export function f() {}\nexport class Box {\n  open() {}\n}\n",
            "src/d.ts": "export default function start() {}\n",
            "src/b.ts": 'import { f as g, Box } from "./a";\nimport start from "./d";\nimport * as ns from "./a";\n'
            "export function h(box: Box) {\n  g();\n  start();\n  ns.f();\n  box.open();\n  new Box();\n}\n",
        },
        [
            "call src/b.ts::h -> src/a.ts::f",
            "call src/b.ts::h -> src/d.ts::start",
            "call src/b.ts::h -> src/a.ts::Box.open",
            "call src/b.ts::h -> src/a.ts::Box",
        ],
        [],
    ),
    "typescript: an index file, a re-export and this": (
        {
            "lib/index.ts": 'export * from "./impl";\n',
            "lib/impl.ts": "export class A {\n  one() {\n    this.two();\n  }\n  two() {}\n}\n",
            "app.ts": 'import { A } from "./lib";\nclass B extends A {\n  three() {\n    this.one();\n  }\n}\n',
        },
        [
            "call lib/impl.ts::A.one -> lib/impl.ts::A.two",
            "inherit app.ts::B -> lib/impl.ts::A",
            "call app.ts::B.three -> lib/impl.ts::A.one",
        ],
        [],
    ),
    "javascript: require": (
        {
            "a.js": "function f() {}\nmodule.exports = { f };\n",
            "b.js": 'const a = require("./a");\nconst { f } = require("./a");\nfunction g() {\n  a.f();\n}\n'
            "function h() {\n  f();\n}\n",
        },
        ["call b.js::g -> a.js::f", "call b.js::h -> a.js::f"],
        [],
    ),
    "javascript: a dependency's name": (
        {"a.js": "export function map() {}\n", "b.js": 'import { map } from "lodash";\nmap();\n'},
        ["call b.js -> (lodash.map)"],
        ["call b.js -> a.js::map", "call b.js ~> a.js::map"],
    ),
    "go: a package is a folder": (
        {
            "store/a.go": "package store\n\ntype DB struct{}\n\nfunc New() *DB { return &DB{} }\n",
            "store/b.go": "package store\n\nfunc (d *DB) Put() { helper() }\n\nfunc helper() { New() }\n",
            "main.go": 'package main\n\nimport "example.com/app/store"\n\nfunc main() {\n\tdb := store.New()\n'
            "\tdb.Put()\n}\n",
        },
        [
            "call store/b.go::DB.Put -> store/b.go::helper",
            "call store/b.go::helper -> store/a.go::New",
            "call main.go::main -> store/a.go::New",
            "call main.go::main -> store/b.go::DB.Put",
        ],
        [],
    ),
    "java: imports, the same package and inherited methods": (
        {
            "com/x/Base.java": "package com.x;\npublic class Base {\n  void run() {}\n}\n",
            "com/x/Peer.java": "package com.x;\nclass Peer {\n  void go(Base b) { b.run(); }\n}\n",
            "com/y/Use.java": "package com.y;\nimport com.x.Base;\nclass Use extends Base {\n"
            "  void f() { run(); this.g(); }\n  void g() { new Base(); }\n}\n",
        },
        [
            "call com/x/Peer.java::Peer.go -> com/x/Base.java::Base.run",
            "inherit com/y/Use.java::Use -> com/x/Base.java::Base",
            "call com/y/Use.java::Use.f -> com/x/Base.java::Base.run",
            "call com/y/Use.java::Use.f -> com/y/Use.java::Use.g",
            "call com/y/Use.java::Use.g -> com/x/Base.java::Base",
        ],
        [],
    ),
    "kotlin: an import and the enclosing class": (
        {
            "app/Tool.kt": "package app\n\nclass Tool {\n    fun cut() {}\n}\n\nfun make(): Tool = Tool()\n",
            "ui/View.kt": "package ui\n\nimport app.Tool\n\nclass View {\n    fun show(t: Tool) {\n        t.cut()\n"
            "        hide()\n    }\n    fun hide() {}\n}\n",
        },
        ["call ui/View.kt::View.show -> app/Tool.kt::Tool.cut", "call ui/View.kt::View.show -> ui/View.kt::View.hide"],
        [],
    ),
    "rust: paths, impl blocks and self": (
        {
            "src/lib.rs": "mod shape;\nuse crate::shape::Shape;\npub fn f() {\n"
            "    let s = Shape::make();\n    s.area();\n}\n",
            "src/shape.rs": "pub struct Shape;\nimpl Shape {\n    pub fn make() -> Shape { Shape }\n"
            "    pub fn area(&self) -> i32 { self.side() }\n    fn side(&self) -> i32 { 1 }\n}\n",
        },
        [
            "call src/lib.rs::f -> src/shape.rs::Shape.make",
            "call src/lib.rs::f -> src/shape.rs::Shape.area",
            "call src/shape.rs::Shape.area -> src/shape.rs::Shape.side",
        ],
        [],
    ),
    "c: what a header's neighbour defines": (
        {
            "util.h": "int add(int a, int b);\n",
            "util.c": '#include "util.h"\nint add(int a, int b) { return a + b; }\n',
            "main.c": '#include "util.h"\nint main(void) { return add(1, 2); }\n',
        },
        ["call main.c::main -> util.c::add"],
        [],
    ),
    "csharp: this and a type of the same folder": (
        {
            "A.cs": "class A {\n  public void Run() {}\n}\n",
            "B.cs": "class B : A {\n  void Go(A a) { a.Run(); this.Stop(); }\n  void Stop() {}\n}\n",
        },
        ["inherit B.cs::B -> A.cs::A", "call B.cs::B.Go -> A.cs::A.Run", "call B.cs::B.Go -> B.cs::B.Stop"],
        [],
    ),
    "csharp: namespaces": (
        {
            "x/A.cs": "namespace X.Y { public class A {\n  public void Run() {}\n}}\n",
            "y/B.cs": "using X.Y;\nnamespace N { class B {\n  void Go(A a, C c) { a.Run(); c.Stop(); }\n}}\n",
            "z/C.cs": "namespace N { class C {\n  public void Stop() {}\n}}\n",
        },
        ["call y/B.cs::N.B.Go -> x/A.cs::X.Y.A.Run", "call y/B.cs::N.B.Go -> z/C.cs::N.C.Stop"],
        [],
    ),
    "php: this, parent and use": (
        {
            "Model/Base.php": "<?php\nnamespace App\\Model;\nclass Base {\n  function save() {}\n}\n",
            "Ctl/User.php": "<?php\nnamespace App\\Ctl;\nuse App\\Model\\Base;\nclass User extends Base {\n"
            "  function go() { $this->save(); $this->own(); }\n  function own() {}\n}\n",
        },
        [
            "inherit Ctl/User.php::App.Ctl.User -> Model/Base.php::App.Model.Base",
            "call Ctl/User.php::App.Ctl.User.go -> Model/Base.php::App.Model.Base.save",
            "call Ctl/User.php::App.Ctl.User.go -> Ctl/User.php::App.Ctl.User.own",
        ],
        [],
    ),
    "ruby: by name beyond the file": (
        {
            "a.rb": "class A\n  def launch\n    helper\n  end\n\n  def helper\n  end\nend\n",
            "b.rb": "def f(x)\n  x.launch()\nend\n",
        },
        ["call b.rb::f ~> a.rb::A.launch"],
        [],
    ),
    "bash: a function of the same file": (
        {"run.sh": "build() {\n  echo hi\n}\n\nmain() {\n  build\n}\n"},
        ["call run.sh::main -> run.sh::build"],
        [],
    ),
    "names never cross languages": (
        {"a.py": "class A:\n    def launch(self): pass\n", "b.js": "function f(x) {\n  x.launch();\n}\n"},
        [],
        ["call b.js::f ~> a.py::A.launch"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_language_resolves(code: Any, name: str) -> None:
    files, expected, refused = CASES[name]
    code.index(files)
    edges = code.edges()
    assert set(expected) <= edges, sorted(edges)
    assert not set(refused) & edges
