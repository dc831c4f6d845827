#!/usr/bin/env python3
"""List the sheets, formulas and error cells of an .xlsx workbook.

Usage: python check_workbook.py book.xlsx

Needs Python 3.11 and no packages. Exit code 1 if a cell holds an error.
"""

import re
import sys
import zipfile
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
# Numbers in a formula that are no part of a reference such as B12, and not 0 or 1.
CONSTANT = re.compile(r"(?<![\w$.:!])(?!0\b|1\b)\d+(?:\.\d+)?(?![\w.:(!])")


def sheets(book: zipfile.ZipFile):
    """Yield the name and the XML of each sheet, in the order of the tabs."""
    targets = {
        relation.get("Id"): relation.get("Target", "").removeprefix("/xl/")
        for relation in ElementTree.fromstring(book.read("xl/_rels/workbook.xml.rels"))
    }
    for sheet in ElementTree.fromstring(book.read("xl/workbook.xml")).iter(f"{MAIN}sheet"):
        yield sheet.get("name"), ElementTree.fromstring(book.read("xl/" + targets[sheet.get(RELATION)]))


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    failed = False
    with zipfile.ZipFile(sys.argv[1]) as book:
        for name, sheet in sheets(book):
            cells = list(sheet.iter(f"{MAIN}c"))
            formulas = [(cell.get("r"), cell.findtext(f"{MAIN}f")) for cell in cells if cell.find(f"{MAIN}f") is not None]
            print(f"{name}: {len(cells)} cells, {len(formulas)} formulas")
            for cell in cells:
                if cell.get("t") == "e":
                    failed = True
                    print(f"  error     {cell.get('r')}  {cell.findtext(f'{MAIN}v')}")
            for place, formula in formulas:
                without_text = re.sub(r'"[^"]*"', "", formula or "")
                if numbers := CONSTANT.findall(without_text):
                    print(f"  constant  {place}  ={formula}  move {', '.join(numbers)} to Settings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
