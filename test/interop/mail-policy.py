"""A policy service for Postfix, as postgrey is one, and as slow filters are. Usage: mail-policy.py PORT.

Puts off carl@ at his first mail and for three seconds after it, dora@ always, and takes twelve seconds for what is asked at the
final dot.
"""
import asyncio
import sys
import time

DELAY_SECS = 3
SLOW_SECS = 12
first_seen = {}


async def action_for(asked):
    if asked.get("protocol_state") == "END-OF-MESSAGE":
        await asyncio.sleep(SLOW_SECS)
        return "DUNNO"
    recipient = asked.get("recipient", "")
    if recipient.startswith("dora@"):
        return "DEFER 4.2.0 greylisted for long"
    if recipient.startswith("carl@"):
        now = time.monotonic()
        if now - first_seen.setdefault(recipient, now) < DELAY_SECS:
            return "DEFER 4.2.0 greylisted, try again later"
    return "DUNNO"


async def request_of(reader):
    asked = {}
    while line := (await reader.readline()).decode().rstrip("\n"):
        name, _, value = line.partition("=")
        asked[name] = value
    return asked


async def serve(reader, writer):
    while asked := await request_of(reader):
        writer.write(f"action={await action_for(asked)}\n\n".encode())
        await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    async with server:
        await server.serve_forever()


asyncio.run(main())
