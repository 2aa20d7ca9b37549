"""Setting moored up in the hosts of this machine, and taking it out again.

What a host needs is data (`hosts/edits.py`), made by the host's own module. Here it is worked into files that belong to
somebody else. `jsonc`, `json_edit`, `toml_edit` and `blocks` change one place of a text and leave every other byte as
it is; `edits` carries an edit out and takes it back; `files` reads and writes; `journal` remembers how files were;
`engine` does the whole for one host, or nothing of it, and `runs` several; `known` knows the hosts and `site` this
machine; `checks` is what the doctor says of it.
"""
