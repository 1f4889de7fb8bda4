"""Prints the templates to be recorded, grouped by the message that each reads: python3 cases.py | python3 record.py"""
import json

GROUPS = {
    # Zigbee2MQTT
    '{"state":"ON","brightness":128,"color_mode":"xy","color":{"x":0.3,"y":0.31},"linkquality":92,"update":{"state":"idle","installed_version":1,"latest_version":-1},"action":"single","battery":87.5,"last_seen":"2026-01-15T11:20:30+01:00","contact":false,"occupancy":null}': r"""
{{ value_json.linkquality }}
{{ value_json['update']['installed_version'] }}
{{ value_json['update']['latest_version'] }}
{{ value_json.last_seen | as_datetime }}
{{ as_timestamp(value_json.last_seen) }}
{{ (value_json.last_seen | as_datetime).isoformat() }}
{{ value_json.action | default('') }}
{{ value_json.missing | d('none yet') }}
{{ value_json.occupancy | default('x', true) }}
{{ value_json.occupancy | d('x') }}
{% set values = {None:None,'idle':'idle'} %}{{ values[value_json.update.state] }}
{% if 'x' in value_json.color %}{{ value_json.color.x }},{{ value_json.color['y'] }}{% endif %}
{{ iif(value_json.contact, 'closed', 'open') }}
{{ value_json.contact | iif('closed', 'open') }}
{{ value_json.occupancy | iif('a', 'b', 'c') }}
{{ value_json.occupancy | iif }}
{{ value_json.missing.more }}
{{ value_json.missing }}
{{ value_json.missing | float(0) }}
{{ value_json.missing | int(0) }}
{{ value_json.missing | is_number }}
{{ value_json.battery | is_number }}
{{ value_json.battery | int }} {{ value_json.battery | round }} {{ value_json.battery | round(1) }}
{{ value_json.color | tojson }}
{{ value_json.color | to_json }}
{{ value_json.update | to_json(sort_keys=true) }}
{{ value_json.update | to_json(pretty_print=true) }}
{{ value_json.color }}
{{ value_json | length }} {{ value_json.keys() | list | first }}
{{ value_json.color.items() | list }}
{{ value_json.color | dictsort }}
{{ value_json.brightness / 255 * 100 }}
{{ (value_json.brightness / 255 * 100) | round(0) }}
{{ value_json.brightness // 10 }} {{ value_json.brightness % 10 }} {{ -value_json.brightness // 10 }}
{{ value_json.last_seen[:10] }} {{ value_json.last_seen[-6:] }} {{ value_json.last_seen[::-1] }}
{{ value_json.state | lower }} {{ value_json.state.title() }}
{{ value_json.state is eq 'ON' }} {{ value_json.state is in ['ON','OFF'] }} {{ value_json.battery is number }}
{{ value_json.brightness is divisibleby 2 }} {{ value_json.brightness is divisibleby(3) }}
{{ 'color' in value_json and 'x' in value_json.color }}
{{ value_json.color is mapping }} {{ value_json.missing is defined }} {{ value_json.occupancy is none }}
{{ (now() - as_datetime(value_json.last_seen)).total_seconds() }}
{{ time_since(as_datetime(value_json.last_seen)) }}
{{ time_since(as_datetime(value_json.last_seen), 2) }}
{{ as_local(as_datetime(value_json.last_seen)).strftime('%d.%m.%Y %H:%M:%S') }}
{{ value_json.update.state | contains('dle') }} {{ value_json.update.state is contains 'x' }}
{{ value_json.last_seen is match('\\d{4}-') }} {{ value_json.last_seen is search('T1') }}
{{ value_json.battery ~ '%' }} {{ value_json.battery | string + '%' }}
{{ value_json.contact ~ '' }} {{ not value_json.contact }}
""",
    # Tasmota
    '{"StatusSNS":{"Time":"2026-01-15T12:00:00","ENERGY":{"Total":12.345,"Power":[1,2.5],"Factor":0.0},"DS18B20":{"Id":"01145B","Temperature":21.0},"TempUnit":"C"},"Wifi":{"RSSI":64,"Signal":-68},"Uptime":"1T02:03:04","POWER1":"ON"}': r"""
{{ value_json.StatusSNS.ENERGY.Total }}
{{ value_json['StatusSNS']['ENERGY']['Power'][1] }}
{{ value_json.StatusSNS.ENERGY.Power.0 }} {{ value_json.StatusSNS.ENERGY.Power | sum }} {{ value_json.StatusSNS.ENERGY.Power | max }}
{{ value_json.StatusSNS.ENERGY.Factor }} {{ value_json.StatusSNS.DS18B20.Temperature }}
{{ value_json.StatusSNS.DS18B20.Temperature * 9 / 5 + 32 }}
{{ value_json.StatusSNS.DS18B20.Id | int(base=16) }}
{{ strptime(value_json.StatusSNS.Time, '%Y-%m-%dT%H:%M:%S') }}
{{ strptime(value_json.StatusSNS.Time, '%Y-%m-%dT%H:%M:%S').timestamp() }}
{{ as_timestamp(strptime(value_json.StatusSNS.Time, '%Y-%m-%dT%H:%M:%S')) | timestamp_local }}
{{ value_json.StatusSNS.Time | as_datetime | as_local }}
{{ value_json.StatusSNS.Time ~ 'Z' }}
{% set d, t = value_json.Uptime.split('T') %}{{ d | int * 86400 + t.split(':')[0] | int * 3600 }}
{{ value_json.Uptime | regex_findall('\\d+') }}
{{ value_json.Uptime | regex_findall_index('(\\d+)T(\\d+)') }}
{{ value_json.Uptime | regex_replace('(\\d+)T(\\d+):.*', '\\1 days \\2 hours') }}
{{ value_json.Uptime | regex_match('\\dT') }} {{ value_json.Uptime | regex_search(':04$') }} {{ value_json.Uptime | regex_search('t', true) }}
{{ value_json.Wifi.Signal | abs }} {{ -value_json.Wifi.Signal }}
{{ [0, [100, 2 * (value_json.Wifi.Signal + 100)] | min] | max }}
{{ min(100, 2 * (value_json.Wifi.Signal + 100)) }}
{{ value_json.Wifi.Signal | clamp(-60, 0) }} {{ value_json.Wifi.RSSI | remap(0, 100, 0, 1) }} {{ 370 | wrap(0, 360) }}
{% for k, v in value_json.Wifi.items() %}{{ k }}={{ v }}{{ ';' if not loop.last }}{% endfor %}
{% for k in value_json if k.startswith('POWER') %}{{ loop.index }}{{ k[5:] }}{% else %}none{% endfor %}
{{ value_json.StatusSNS.ENERGY.Power | average }} {{ value_json.StatusSNS.ENERGY.Power | median }}
{{ average(1, 2, 3) }} {{ median([1, 5, 2]) }} {{ [] | average(0) }} {{ statistical_mode([1, 2, 2]) }}
{{ ['a'] | average }}
{{ value_json.POWER1 == 'ON' }}
{{ '%02d:%02d' | format(7, 5) }} {{ '%.2f' % value_json.StatusSNS.ENERGY.Total }} {{ '%5.1f|%-5s|%05d|%x|%X|%o|%e|%g' % (1.25, 'a', 42, 255, 255, 8, 12345.678, 0.00001) }}
{{ '{:.1f} {:>5} {:05d} {:,}'.format(21.05, 'a', 42, 1234567) }} {{ '{0}-{1}-{0}'.format(1, 2) }} {{ '{a:^7}|'.format(a='x') }} {{ '{:08b} {:x} {:%}'.format(5, 255, 0.25) }}
""",
    # OpenMQTTGateway, Theengs, rtl_433, BLE
    '{"id":"4C:65:A8:D0:00:01","name":"MJ_HT_V1","servicedata":"5020aa01","manufacturerdata":"99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f","rssi":-72,"tempc":22.6,"hum":41,"raw":"SGFsbG8=","model":"Nexus-TH","battery_ok":1,"time":"2026-01-15 12:00:00","wind_dir_deg":337.5,"rain_mm":0.0,"big":12345678901234567890,"rows":[{"n":"b","v":2},{"n":"a","v":1.5},{"n":"b","v":3}],"list":[3,1,2,3,"x",null]}': r"""
{{ value_json.battery_ok * 99 + 1 }}
{{ float(value_json.battery_ok) * 99 + 1 }}
{{ (float(value_json.wind_dir_deg|float) * 1.0) | round(1) }}
{{ value_json.rain_mm|float|round(2) }}
{{ value_json.servicedata | from_hex }}
{{ value_json.servicedata | from_hex | unpack('>H') }} {{ value_json.servicedata | from_hex | unpack('<H', 2) }} {{ value_json.servicedata | from_hex | unpack('>i') }} {{ value_json.servicedata | from_hex | unpack('>q') }}
{{ unpack(from_hex(value_json.servicedata), '>I') }}
{{ (value_json.manufacturerdata | from_hex | unpack('>h', offset=3)) * 0.005 }}
{{ 258 | pack('>H') }} {{ pack(-1, '<i') }} {{ 70000 | pack('>H') }} {{ 1.5 | pack('>f') }} {{ 'a' | pack('>H') }}
{{ value_json.raw | base64_decode }} {{ 'Hallo Welt' | base64_encode }} {{ value_json.raw | base64_decode(none) }}
{{ 'a' | base64_decode }}
{{ value_json.id | replace(':', '') | lower }} {{ value_json.id | slugify }} {{ slugify('Größe Ä & Co.', '-') }} {{ slugify('Wohn_zimmer 2.OG') }} {{ '' | slugify }} {{ '!!' | slugify }}
{{ value_json.big }} {{ value_json.big + 1 }} {{ value_json.big | string | length }}
{{ value_json.big | bitwise_and(255) }} {{ 12 | bitwise_or(3) }} {{ 12 | bitwise_xor(5) }} {{ bitwise_and(255, 15) }}
{{ 2 ** 64 }} {{ 2 ** -1 }} {{ 7 / 2 }} {{ 6 / 2 }} {{ 7.0 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 5.5 % 2 }}
{{ value_json.rows | map(attribute='n') | unique | list }} {{ value_json.rows | selectattr('n', 'eq', 'b') | map(attribute='v') | sum }}
{{ value_json.rows | sort(attribute='v', reverse=true) | map(attribute='v') | list }}
{{ value_json.rows | sum(attribute='v') }}
{{ value_json.rows | groupby('n') | length }}
{{ value_json.rows | rejectattr('v', '>', 1.5) | list | count }}
{{ value_json.rows | map(attribute='v') | max }} {{ value_json.rows | max(attribute='v') }}
{{ value_json.list | unique | list }} {{ value_json.list | reverse | list }} {{ value_json.list | last }}
{{ value_json.list | select('number') | list | sort }} {{ value_json.list | reject('none') | join(',') }}
{{ value_json.list[1:4] }} {{ value_json.list[::2] }} {{ value_json.list[-2] }} {{ value_json.list[9] }}
{{ value_json.list | sort }}
{{ value_json.list | batch(4) | list }} {{ value_json.list | slice(2) | list }}
{{ [1, [2, [3]]] | flatten }} {{ [1, [2, [3]]] | flatten(levels=1) }}
{{ [1, 2] | union([2, 3]) | sort }} {{ [1, 2] | intersect([2, 3]) }} {{ [1, 2] | difference([2]) }} {{ [1, 2] | symmetric_difference([2, 3]) | sort }}
{{ set([1, 1]) | list }} {{ zip([1, 2], ['a', 'b']) | list }} {{ {'a': 1} | combine({'b': 2}) }} {{ dict(a=1, b=[2]) }} {{ tuple([1]) }}
{{ value_json.tempc | log | round(4) }} {{ 100 | log(10) }} {{ 8 | log(2) }} {{ 0 | log(default='x') }} {{ 'a' | sqrt(0) }} {{ 2 | sqrt }}
{{ 6.112 * e ** ((17.67 * value_json.tempc) / (value_json.tempc + 243.5)) }}
{{ pi | round(4) }} {{ tau | round(3) }} {{ sin(pi / 2) }} {{ cos(0) }} {{ 1 | atan2(1) | round(3) }}
{{ ['N','NNE','NE','ENE','E','ESE','SE','SSE','S','SSW','SW','WSW','W','WNW','NW','NNW','N'][(value_json.wind_dir_deg / 22.5) | round | int] }}
{{ 3 | ordinal }} {{ 11 | ordinal }} {{ 22 | ordinal }} {{ 'A' | ord }} {{ 'abc' | md5 }} {{ 'abc' | sha1 }} {{ sha256('') }}
{{ value_json.time | as_timestamp }} {{ value_json.time | as_datetime }} {{ value_json.time[11:16] }}
{{ value_json.rssi is lt 0 }} {{ value_json.rssi > -80 and value_json.rssi < -70 }} {{ -80 < value_json.rssi < -70 }} {{ 1 < 2 < 2 }}
{{ value_json.model.split('-')[0] }} {{ value_json.model.split('-', 1) }} {{ value_json.model.rsplit('-', 1) }} {{ value_json.model.partition('-') }}
{{ value_json.name.replace('_', ' ').title() }} {{ value_json.name | title }} {{ value_json.name | capitalize }}
{{ value_json.id.split(':') | map('int', base=16) | list }}
{{ value_json.servicedata[2:4] | int(base=16) }} {{ '0x1F' | int(0, 16) }} {{ '12.7' | int }} {{ 'z' | int(-1) }} {{ '101' | int(base=2) }}
{{ value_json.tempc | typeof }} {{ typeof([]) }} {{ none | typeof }} {{ typeof(1) }} {{ typeof('') }} {{ typeof({}) }}
{{ value_json.tempc | multiply(2) }} {{ value_json.hum | add(0.5) }} {{ 'x' | multiply(2, 0) }}
{{ value_json.rows | tojson }}
{{ value_json.rows[0] }} {{ value_json.list }}
{{ value_json.tempc | float | round(0) }} {{ 0.5 | round }} {{ 1.5 | round }} {{ 2.675 | round(2) }} {{ 1.005 | round(2) }} {{ 1250 | round(-2) }} {{ 2.4 | round(0, 'ceil') }} {{ 2.6 | round(0, 'floor') }} {{ 2.3 | round(1, 'half') }}
{{ 1e16 }} {{ 1e-5 }} {{ 123456789.123 }} {{ 0.1 + 0.2 }} {{ 1e22 | int }} {{ 100000000000000000.0 }} {{ 3.0 }} {{ 1_000 }} {{ 0x1f }}
""",
    # Shelly, Frigate, Valetudo, evcc, Victron, ecowitt2mqtt, zwave-js-ui, LNXlink
    '{"id":0,"source":"MQTT","output":true,"apower":0.0,"aenergy":{"total":1234.567},"temperature":{"tC":41.3,"tF":null},"uptime":93784,"version":"1.4.4-g6d2a586","value":21,"ts":1768478400,"ms":1768478400123,"after":{"label":"person","score":0.84765625,"entered_zones":["yard","drive"],"sub_label":["Bob",0.9],"box":[1,2,3,4]},"type":"new","cpu":{"usage":"12.5%"},"disks":[{"name":"/","percent":45},{"name":"/home","percent":"n/a"}],"text":"a\\nb \\"c\\" <d> é"}': r"""
{{ value_json.aenergy.total | float / 1000 }} {{ (value_json.aenergy.total / 1000) | round(2) }}
{{ 'ON' if value_json.output else 'OFF' }} {{ value_json.output }} {{ value_json.output | lower }} {{ value_json.output | int }} {{ value_json.output | string }}
{{ value_json.temperature.tF }} {{ value_json.temperature.tF | default(0) }} {{ value_json.temperature.tF | float(0) }}
{{ value_json.ts | timestamp_custom('%Y-%m-%d %H:%M:%S') }} {{ value_json.ts | timestamp_custom('%H:%M', false) }} {{ value_json.ts | timestamp_local }} {{ value_json.ts | timestamp_utc }}
{{ (value_json.ms / 1000) | timestamp_local }} {{ as_datetime(value_json.ms / 1000) }}
{{ (now() - timedelta(seconds=value_json.uptime)).isoformat() }} {{ timedelta(seconds=value_json.uptime) }} {{ timedelta(days=-1, hours=2) }}
{{ (utcnow() - timedelta(seconds=value_json.uptime)).strftime('%Y-%m-%dT%H:%M:%S+00:00') }}
{{ as_timedelta('PT10M') }} {{ as_timedelta('1 02:03:04') }} {{ '01:30' | as_timedelta }} {{ as_timedelta('x') }}
{{ now().date() }} {{ now().time() }} {{ now().weekday() }} {{ now().year }} {{ now().replace(hour=0, minute=0) }} {{ now() > today_at('08:00') }}
{{ today_at() }} {{ today_at('18:30') }} {{ now() + timedelta(minutes=90) }} {{ now() - today_at('00:00') }}
{{ now().strftime('%A %d %B %y %I:%M %p %j %e %-d %z %% %F %T') }}
{{ version(value_json.version) }} {{ version('2024.1.0') > '2023.12.9' }} {{ version('1.10') > version('1.9') }} {{ version('2024.1.0b1').beta }} {{ version('1.2.3').major }}
{{ value_json.after.score | round(2) }} {{ (value_json.after.score * 100) | int }} {{ value_json.after.sub_label[0] }} {{ value_json.after.entered_zones | join(', ') }}
{{ value_json.after.label if value_json.type in ('new', 'update') else 'none' }}
{{ 'person' == value_json.after.label and 'yard' in value_json.after.entered_zones }}
{{ value_json.cpu.usage | replace('%', '') | float }} {{ value_json.cpu.usage.rstrip('%') }} {{ value_json.cpu.usage[:-1] | float | round(1) }}
{% for d in value_json.disks %}{{ d.name }}:{{ d.percent | int(-1) }} {% endfor %}
{{ value_json.disks | selectattr('name', 'eq', '/') | map(attribute='percent') | first }} {{ (value_json.disks | first).percent }}
{{ value_json.disks | map(attribute='x', default='?') | list }}
{{ value_json.text }} {{ value_json.text | length }} {{ [value_json.text] }} {{ value_json.text | to_json }} {{ value_json.text | tojson }}
{{ value_json.text | to_json(ensure_ascii=true) }} {{ '{"a": 1.0}' | from_json }} {{ 'x' | from_json(default='no') }} {{ ('[1]' | from_json)[0] }}
{{ {'q': value_json.text} | urlencode }} {{ urlencode({'a b': 1}) }} {{ 'a b/c' | urlencode }}
{% set ns = namespace(n=0) %}{% for d in value_json.disks %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}
{% macro deg(x, unit='C') %}{{ x | round(1) }} °{{ unit }}{% endmacro %}{{ deg(value_json.temperature.tC) }} {{ deg(1, unit='F') }}
{% macro fact(n) %}{{ 1 if n < 2 else n * (fact(n - 1) | int) }}{% endmacro %}{{ fact(5) }}
{% macro double(x, returns) %}{% do returns(x * 2) %}{% endmacro %}{% set f = double | as_function %}{{ f(4) }}
{% macro row(x) %}<{{ caller(x) }}>{% endmacro %}{% call(y) row(3) %}{{ y * 2 }}{% endcall %}
{% set h, r = value_json.uptime // 3600, value_json.uptime % 3600 %}{{ '%d:%02d' | format(h, r // 60) }}
{%- if value_json.value > 20 -%} warm {%- elif value_json.value > 10 -%} mild {%- else -%} cold {%- endif -%}
{% set x = 1 %}{% for i in [1,2] %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }} {% if true %}{% set x = 9 %}{% endif %}{{ x }}
{% set t %}a {{ value_json.value }}{% endset %}{{ t | upper }} {% filter upper %}b{% endfilter %} {% with a = 2 %}{{ a }}{% endwith %}{{ a }}
{% raw %}{{ x }}{% endraw %} {# comment #}x {{- ' y ' -}} z
{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{{ loop.cycle('a', 'b') }}{% endfor %}
{% for i in [[1,[2,3]],4] recursive %}{% if i is sequence %}({{ loop(i) }}){% else %}{{ i }}{% endif %}{% endfor %}
{{ 1 + 2 ~ 3 }}
{{ 'a' 'b' }} {{ 'a' ~ 1 + 1 }}
{{ 1 ~ 2 * 3 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ -1 | abs }} {{ (1, 2) }} {{ (1,) }} {{ () }} {{ not 1 == 2 }} {{ 'x' if false }}
{{ 'a' + 1 }}
{{ '5' * 3 }} {{ [1] * 2 }} {{ true + true }} {{ 1 == true }} {{ 1.0 == 1 }} {{ '1' == 1 }} {{ none == false }} {{ [1, 2] == [1, 2.0] }}
{{ value_json.value | bool }}
{{ 'on' | bool }} {{ 'no' | bool }} {{ 'x' | bool(false) }} {{ bool(1) }} {{ bool('maybe', 'd') }}
{{ 'x' | bool }}
{{ 'abc' | center(7) }}| {{ 'a b c' | wordcount }} {{ 'x' | indent }} {{ 1024 | filesizeformat }} {{ 'abcdefghij klm' | truncate(8) }} {{ '<b>' | escape }} {{ '<b>x</b>' | striptags }}
{{ 'aXbX'.find('X') }} {{ 'a' in 'abc' }} {{ 'abc'.index('c') }} {{ 'a,b'.split(',') }} {{ ' a '.strip() }} {{ 'abc'.upper() }} {{ 'ab'.zfill(5) }} {{ '-5'.zfill(4) }} {{ 'abc'.startswith('ab') }} {{ 'x'.join(['1', '2']) }} {{ '12'.isdigit() }} {{ 'abc'.count('b') }} {{ 'a1'.isalnum() }} {{ 'xay'.removeprefix('x') }} {{ 'a'.ljust(3, '.') }} {{ 'Ab'.swapcase() }} {{ 'ab'.encode() }}
{{ {'a': {'b': 1}}.get('a').get('b') }} {{ {}.get('x') }} {{ {}.get('x', 0) }} {{ {'a': 1}.values() | list }} {{ [1, 2, 1].count(1) }} {{ [1, 2].index(2) }} {{ (5).bit_length() }} {{ 2.0.is_integer() }}
{{ [1, 2] is list }} {{ 'a' is string }} {{ (1, 2) is tuple }} {{ set([1]) is set }} {{ now() is datetime }} {{ 1 is integer }} {{ 1.5 is float }} {{ true is boolean }} {{ 'a' is string_like }} {{ 3 is odd }} {{ 4 is even }} {{ 1 is sameas 1 }} {{ [] is iterable }} {{ 'A' is upper }}
{{ [3, 1, 2] | sort | first }} {{ 'b,a' .split(',') | sort | join }} {{ ['B', 'a'] | sort }} {{ [1, 2, 3] | select('gt', 1) | list }} {{ ['1', 'x'] | map('float', default=0) | list }} {{ ['1', '2'] | map('int') | sum }}
{{ value }}
{{ value[:5] }} {{ value | from_json | length }} {{ value is string }}
{{ nothing }} {{ nothing | default('n') }} {{ nothing == 1 }} {{ nothing is none }} {{ nothing | list }} {{ nothing | length }} {{ nothing ~ 'x' }}
{{ nothing + 1 }}
{{ nothing < 1 }}
{{ nothing() }}
{{ 1 / 0 }}
{{ none | int }}
{{ none + 1 }}
{{ [1, 2].append(3) }}
{{ value_json.nope.deeper }}
{{ value_json.temperature.tF.deeper }}
{{ value_json.disks.name }} {{ value_json.text.nope }} {{ value_json.value.nope }}
{{ value_json.nope is defined and value_json.nope.x }}
{{ (value_json.nope | default({})).x | default('z') }}
{{ value_json.nope | is_defined }}
{{ value_json.value | is_defined }}
{{ float('nan') }} {{ float('inf') }} {{ '1_000' | float }} {{ ' 5 ' | int }} {{ '5e2' | float }} {{ is_number('nan') }} {{ is_number('12') }} {{ 'x' | float('d') }} {{ float('x', 1) }} {{ true | float }}
{{ 'x' | float }}
{{ 'Zürich' | lower }} {{ 'straße' | upper }} {{ '日本' | length }} {{ 'naïve' | slugify }} {{ ['é', '\u200b'] }} {{ "it's" }} {{ ["it's"] }} {{ ['a\\b', '\n'] }}
{{ 'temperature 21.5 °C' | regex_findall('[-+]?\\d*\\.?\\d+') }} {{ 'a1b22' | regex_replace('[a-z]', '') }} {{ 'aaa' | regex_replace('a*', 'x') }} {{ 'ab12' | regex_findall('(?P<l>[a-z]+)(\\d+)') }} {{ 'foo.bar' | regex_search('^foo\\.') }} {{ 'foobar' | regex_match('(?!bar)foo(?=bar)') }} {{ 'x' | regex_findall('y') }} {{ 'aXbX' | regex_replace('x', '-', true) }} {{ 'abab' | regex_match('(ab)\\1$') }} {{ 'price: 5' | regex_replace('(?P<n>\\d)', '<\\g<n>>') }} {{ 'a\nb' | regex_findall('(?m)^.') }} {{ 'x=1;y=2' | regex_findall('(\\w)=(\\d)') }}
{{ 'x' | regex_findall_index('y') }}
{{ 'x' | regex_match('(') }}
""",
    # No JSON: a plain value, as of ESPHome, Valetudo, mqtt-io
    "21.50": r"""
{{ value }}
{{ value | float }} {{ value | round(1) }} {{ value | float + 1 }} {{ value | int }}
{{ value_json }} {{ value_json + 1 }}
{{ value | is_number }} {{ value is match('^[0-9.]+$') }} {{ value.split('.')[0] }}
{{ (value | float * 100) | round(0) }}
{{ value | float(default=0) > 20 }}
""",
    "ON;PM=3": r"""
{{ value_json.a }}
{{ value_json is defined }} {{ value.split(';')[1].split('=')[1] | int }} {{ 'ON' in value }} {{ value | regex_findall_index('PM=(\\d+)', 0) }}
{{ value | length }} {{ value | list | first }} {{ value | replace(';', ' ') | wordcount }}
""",
    "[1, 2.0, \"a\", null, true]": r"""
{{ value_json[0] }} {{ value_json[1] }} {{ value_json | length }} {{ value_json }}
{{ value_json | map('string') | join('|') }} {{ value_json[3] is none }} {{ value_json | last }}
""",
    "null": r"""
{{ value_json }} {{ value_json is none }} {{ value_json.x }}
{{ value_json | default('d', true) }}
""",
    # Texts for people
    '{"text":"The quick brown fox jumps over the lazy dog near the river bank","long":"supercalifragilisticexpialidocious and more","hy":"well-known self-contained state-of-the-art","attrs":{"class":"a b","id":"x<1>","missing":null,"n":3},"url":"see https://example.org/a?b=c&d=e, www.example.com. and mail me@example.com (http://x.de)","list":["a","b","c"],"e":""}': r"""
{{ value_json.text | wordwrap(20) }}
{{ value_json.text | wordwrap(20, true, '|') }}
{{ value_json.long | wordwrap(10) }}
{{ value_json.long | wordwrap(10, false) }}
{{ value_json.hy | wordwrap(12) }}
{{ value_json.hy | wordwrap(12, break_on_hyphens=false) }}
{{ value_json.e | wordwrap(5) }}
{{ value_json.text | wordwrap }}
{{ value_json.text | wordwrap(15, wrapstring='/') }}
{{ 'a   b    c' | wordwrap(4) }}
{{ 'abcdefghij klm' | wordwrap(4) }}
{{ value_json.attrs | xmlattr }}
{{ value_json.attrs | xmlattr(false) }}
{{ {} | xmlattr }}
{{ {'a b': 1} | xmlattr }}
{{ {'a': value_json.nothing, 'b': true} | xmlattr }}
{{ value_json.url | urlize }}
{{ value_json.url | urlize(20) }}
{{ value_json.url | urlize(20, true) }}
{{ value_json.url | urlize(target='_blank') }}
{{ value_json.url | urlize(rel='me') }}
{{ 'a <b> https://x.org/<i>' | urlize }}
{{ 'mailto:me@example.com tel:123 (www.a.org)' | urlize }}
{{ 'tel:123' | urlize(extra_schemes=['tel:']) }}
{% set c = cycler('odd', 'even') %}{{ c.next() }} {{ c.next() }} {{ c.next() }} {{ c.current }}{% do c.reset() %} {{ c.next() }}
{% set j = joiner(', ') %}{% for x in value_json.list %}{{ j() }}{{ x }}{% endfor %}
{% set j = joiner() %}{{ j() }}-{{ j() }}-{{ j() }}
{{ {'x': 1} | attr('x') }}|
{{ value_json.list | map('wordwrap', 3) | list }}
{{ value_json.list | wordwrap(3) }}
{{ value_json.text | wordwrap(0) }}
{{ 'x' is escaped }}
{{ now() | attr('year') }}
{{ value_json.hy | wordwrap(6) }}
{{ 'a--b c---d' | wordwrap(3) }}
{{ value_json.url | urlize(0) }}
{{ '((http://a.org))' | urlize }}
{{ 'http://a.org/(b)' | urlize }}
{{ 'http://192.0.2.1:80/x http://[2001:db8::1]/ ftp://x.org' | urlize }}
""",
}

for message, templates in GROUPS.items():
    for line in templates.strip().split("\n"):
        # Each expression of a line that has only expressions is a case of its own.
        parts = line.split(" {{ ") if line.startswith("{{ ") and "{%" not in line and "{{- " not in line else [line]
        for at, part in enumerate(parts):
            print(json.dumps({"t": part if at == 0 else "{{ " + part, "v": message}, ensure_ascii=False))
