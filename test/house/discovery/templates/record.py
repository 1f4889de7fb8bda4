"""Records what Home Assistant makes of each template: python3 record.py < cases.jsonl > recorded.jsonl

A line in: {"t": template, "v": the message}. A line out has "want" too: the text, or null where Home Assistant refuses it.
Needs Python 3.13 and `pip install --no-deps --ignore-requires-python homeassistant==2025.12.5`, with Jinja2 3.1.6, orjson 3.11.3,
awesomeversion 25.8.0 and what else its helpers import. The house is in Berlin, and it is 2026-01-15 12:30:05 UTC.
"""
import datetime as dt
import json
import os
import sys
import time
import zoneinfo

os.environ["TZ"] = "Europe/Berlin"
time.tzset()
from homeassistant.helpers import template as templates  # noqa: E402
from homeassistant.util import dt as dt_util  # noqa: E402

NOW = dt.datetime(2026, 1, 15, 12, 30, 5, tzinfo=dt.timezone.utc)
dt_util.set_default_time_zone(zoneinfo.ZoneInfo("Europe/Berlin"))
dt_util.utcnow = lambda: NOW
dt_util.now = lambda zone=None: NOW.astimezone(zone or dt_util.get_default_time_zone())
dt_util.start_of_local_day = lambda at=None: dt_util.now().replace(hour=0, minute=0, second=0, microsecond=0)

environment = templates.TemplateEnvironment(None)
environment.globals["now"] = lambda: dt_util.now()
environment.globals["utcnow"] = lambda: dt_util.utcnow()
from homeassistant.helpers.template.extensions.datetime import DateTimeExtension  # noqa: E402

extension = DateTimeExtension(environment)
for name in ["time_since", "time_until", "today_at", "relative_time"]:
    environment.globals[name] = environment.filters[name] = getattr(extension, name)

for line in sys.stdin:
    case = json.loads(line)
    values = {"value": case["v"]}
    try:
        values["value_json"] = templates.json_loads(case["v"])
    except Exception:
        pass
    try:
        case["want"] = environment.from_string(case["t"]).render(values).strip()
    except Exception as error:
        case["want"] = None
        print(f"{case['t']}: {type(error).__name__}: {error}", file=sys.stderr)
    print(json.dumps(case, ensure_ascii=False))
