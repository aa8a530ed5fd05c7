"""An S3-compatible store (moto) on a free loopback port, in memory. Prints its address as JSON, and ends when its standard
input closes."""

import json
import sys

from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print(json.dumps({"endpoint": f"http://{host}:{port}"}), flush=True)
sys.stdin.read()
server.stop()
