"""Parses webhook bodies with pywa and prints the results: one JSON object, by file name.

usage: python pywa_read.py FILE...
"""

import inspect
import json
import logging
import pathlib
import sys
import warnings

import pywa
from pywa import handlers


def word(value):
    """The network's value of an enum."""
    return getattr(value, "value", value)


def text_of(update):
    """The text of a message or tapped button; pywa names it differently for each kind of update."""
    if getattr(update, "reaction", None):
        return update.reaction.emoji
    if getattr(update, "order", None):
        return update.order.text
    if hasattr(update, "message"):
        return text_of(update.message)
    for name in ("text", "caption", "title", "body"):
        if getattr(update, name, None):
            return getattr(update, name)
    return None


def describe(update):
    user = getattr(update, "from_user", None)
    at = getattr(update, "timestamp", None)
    media = next((getattr(update, kind) for kind in ("image", "video", "audio", "document", "sticker")
                  if getattr(update, kind, None)), None)
    replied = getattr(update, "reply_to_message", None)
    error = getattr(update, "error", None)
    return {
        "update": type(update).__name__,
        "id": getattr(update, "id", None),
        "account": getattr(update, "waba_id", None),
        "wa_id": getattr(user, "wa_id", None),
        "user_id": getattr(user, "bsuid", None),
        "parent_user_id": getattr(user, "parent_bsuid", None),
        "username": getattr(user, "username", None),
        "name": getattr(user, "name", None),
        "kind": word(getattr(update, "type", None)),
        "text": text_of(update),
        "payload": word(getattr(update, "data", None)),
        "at": int(at.timestamp()) if at else None,
        "status": word(getattr(update, "status", None)),
        "event": word(getattr(update, "event", None)),
        "direction": word(getattr(update, "direction", None)),
        "duration": getattr(update, "duration", None),
        "preference": word(getattr(update, "value", None)),
        "response": word(getattr(update, "response", None)),
        "tracker": getattr(update, "tracker", None),
        "media_id": getattr(media, "id", None),
        "replied_to": getattr(replied, "id", None),
        "target": getattr(update, "original_message_id", None)
        or getattr(getattr(update, "reaction", None), "message_id", None),
        "error": getattr(error, "code", None) or getattr(error, "error_code", None),
        "new_wa_id": getattr(update, "new_wa_id", None),
        "new_user_id": getattr(update, "new_user_id", None),
        "template": {
            name: word(getattr(update, name, None))
            for name in ("template_id", "template_name", "template_language", "new_status", "new_quality_score",
                         "previous_quality_score", "new_category", "previous_category", "correct_category")
        },
    }


def every_handler():
    for _, kind in inspect.getmembers(handlers, inspect.isclass):
        ordinary = issubclass(kind, handlers.Handler) and not inspect.isabstract(kind)
        if ordinary and kind not in (handlers.Handler, handlers.RawUpdateHandler):
            yield kind


def read(path):
    client = pywa.WhatsApp(filter_updates=False, skip_duplicate_updates=False)
    seen = []
    for kind in every_handler():
        try:
            client.add_handlers(kind(callback=lambda _, update: seen.append(describe(update))))
        except TypeError:
            continue  # one of the handlers of flows, which is no webhook
    client.webhook_update_handler(path.read_bytes())
    return seen[0] if seen else None


# A body that pywa cannot parse is null below.
logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
print(json.dumps({pathlib.Path(name).stem: read(pathlib.Path(name)) for name in sys.argv[1:]}))
