"""A warehouse of documents for desktop agents: folders of pages become one index per application.

A page is read and cleaned to text (`reading`, `markup`), split into chunks of 512 tokens (`splitting`) and written with its
path and title into the application's index (`indexing`, `index`). A task's instruction is the question: the nearest chunks
over the task's applications are found by words (SQLite's FTS5 and its BM25), or by meaning with a small model that ships
inside a package (`minilm`). `retrieving` gives an agent's context, from an index or from the files published with the tasks.
"""
