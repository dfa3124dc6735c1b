#!/usr/bin/env python3
"""Print the text of a PDF file, page by page."""

import sys

from pypdf import PdfReader

if len(sys.argv) != 2:
    sys.exit("usage: extract_text.py FILE.pdf")
for number, page in enumerate(PdfReader(sys.argv[1]).pages, start=1):
    print(f"--- page {number}")
    print(page.extract_text().strip() or "(no text on this page)")
