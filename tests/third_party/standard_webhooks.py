"""Verifies signatures with the Standard Webhooks library for Python. Reads a JSON array of {secret, headers, body} and
prints an array: null for a valid signature, else the reason.

usage: python standard_webhooks.py < deliveries.json
"""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def judged(delivery):
    try:
        Webhook(delivery["secret"]).verify(delivery["body"], delivery["headers"])
    except WebhookVerificationError as error:
        return str(error)
    return None


print(json.dumps([judged(delivery) for delivery in json.load(sys.stdin)]))
