"""A summary and its source: what supports each span of the summary, and what the source does not say."""

from pathlib import Path

import forest_align

source = """The company was founded in Oslo in 1990. It makes shoes and bags.
Sales rose by 5% last year. The weather was nice."""
summary = "The company was founded in 1990 by two brothers. It makes shoes, and its sales grew by 7%."

report = forest_align.support(summary, source)
print(report)
print("unsupported:", [report.text_of(span) for span in report.unsupported])

Path("support.html").write_text(report.to_html(), encoding="utf-8")
Path("support.jsonl").write_text(report.to_json() + "\n", encoding="utf-8")
