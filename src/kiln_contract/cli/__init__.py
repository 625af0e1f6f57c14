"""The `kiln-contract` command: recorded traffic in, a verdict and its reasons out.

`readers` turns files into documents, `judge` says whether a document keeps the contract, `session` walks the files and
pairs requests with responses, `text_report` and `json_report` print what was found, and `cli` puts them together.
"""
