"""Builds requests with pywa and sends them to a Graph API other than the network's.

Arguments: the base URL, the phone-number id, the account id, the access token, a person's number, a person's
business-scoped user id, the id of a message of the first person. Prints one JSON object: pywa's result by name of the call, and errors
under `failed`.
"""

import json
import logging
import sys
import time
import warnings

import httpx
import pywa
from pywa import types
from pywa.types import calls, others, templates

PICTURE = bytes.fromhex("89504e470d0a1a0a") + bytes(range(256)) * 64
PATIENCE = 20


class Elsewhere(httpx.HTTPTransport):
    """Sends what is meant for the network to the base URL's host."""

    def __init__(self, base):
        super().__init__()
        self.base = httpx.URL(base)

    def handle_request(self, request):
        if request.url.host == "graph.facebook.com":
            request.url = request.url.copy_with(scheme=self.base.scheme, host=self.base.host, port=self.base.port)
            request.headers["host"] = f"{self.base.host}:{self.base.port}"
        return super().handle_request(request)


def approved(client, name):
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        found = [one for one in client.get_templates() if one.name == name]
        if found and found[0].status == templates.TemplateStatus.APPROVED:
            return found[0]
    raise TimeoutError(f"{name} was not approved")


def steps(client, person, bsuid, message):
    """Name and call, in order: some need what one before them made."""
    media, sent = {}, {}

    def text():
        sent["text"] = client.send_message(to=person, text="Plain text", preview_url=True, tracker="t-1")
        return sent["text"]

    def upload():
        media["id"] = client.upload_media(media=PICTURE, mime_type="image/png", filename="dot.png").id
        return media["id"]

    def download():
        found = client.get_media_url(media["id"])
        return {"same": client.get_media_bytes(url=found.url) == PICTURE, "size": found.file_size,
                "mime": found.mime_type}

    def create():
        made = client.create_template(template=template())
        return {"status": made.status, "category": made.category}

    def call():
        offer = calls.SessionDescription(sdp_type="offer", sdp="v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\n")
        begun = client.initiate_call(to=person, sdp=offer, tracker="c-1")
        client.terminate_call(begun.id)
        return begun.id

    button, row = types.Button, types.SectionRow
    reply = [button(title="Yes", callback_data="y"), button(title="No", callback_data="n")]
    section = types.Section(title="Teas", rows=[row(title="Green", callback_data="g", description="Fresh"),
                                                row(title="Black", callback_data="b")])
    contact = types.Contact(name=types.Contact.Name(formatted_name="Ada Lovelace", first_name="Ada"),
                            phones=[types.Contact.Phone(phone="+14155550199", type="WORK")])
    products = [types.ProductsSection(title="New", skus=["p1", "p2"])]
    flow = types.FlowButton(title="Sign up", flow_id="1234", flow_token="t", flow_action_type="navigate",
                            flow_action_screen="FIRST")
    send = client.send_message
    return {
        "text": text,
        "by_bsuid": lambda: send(to=bsuid, text="By BSUID"),
        "reply": lambda: send(to=person, text="An answer", reply_to_message_id=message),
        "buttons": lambda: send(to=person, text="Shall we?", header="Tea", footer="The shop", buttons=reply),
        "list": lambda: send(to=person, text="Which?", buttons=types.SectionList("Choose", [section])),
        "url": lambda: send(to=person, text="Look", buttons=types.URLButton("Open", url="https://shop.example/?a=b")),
        "flow": lambda: send(to=person, text="Join us", buttons=flow),
        "call_permission": lambda: send(to=person, text="May we call?", buttons=types.CallPermissionRequestButton()),
        "image_link": lambda: client.send_image(to=person, image="https://shop.example/a.png", caption="By link"),
        "upload": upload,
        "image_id": lambda: client.send_image(to=person, image=media["id"], caption="By id"),
        "image_bytes": lambda: client.send_image(to=person, image=PICTURE, mime_type="image/png", caption="Bytes",
                                                 buttons=reply),
        "document": lambda: client.send_document(to=person, document="https://shop.example/d.pdf", filename="d.pdf",
                                                 caption="A bill"),
        "video": lambda: client.send_video(to=person, video="https://shop.example/v.mp4", caption="A film"),
        "audio": lambda: client.send_audio(to=person, audio="https://shop.example/a.mp3"),
        "sticker": lambda: client.send_sticker(to=person, sticker="https://shop.example/s.webp"),
        "reaction": lambda: client.send_reaction(to=person, emoji="👍", message_id=message),
        "no_reaction": lambda: client.remove_reaction(to=person, message_id=message),
        "location": lambda: client.send_location(to=person, latitude=52.52, longitude=13.405, name="Here",
                                                 address="Berlin"),
        "location_request": lambda: client.request_location(to=person, text="Where are you?"),
        "contact": lambda: client.send_contact(to=person, contact=contact),
        "catalog": lambda: client.send_catalog(to=person, body="All we have", thumbnail_product_sku="p1"),
        "product": lambda: client.send_product(to=person, catalog_id="c1", sku="p1", body="This one"),
        "products": lambda: client.send_products(to=person, catalog_id="c1", title="News", body="These",
                                                 product_sections=products),
        "mark_read": lambda: client.mark_message_as_read(message),
        "typing": lambda: client.indicate_typing(message),
        "download": download,
        "delete_media": lambda: client.delete_media(media["id"]),
        "create_template": create,
        "templates": lambda: described(approved(client, "pywa_spring")),
        "template": lambda: client.send_template(to=person, name="pywa_spring", params=parameters(),
                                                 language=templates.TemplateLanguage.ENGLISH_US, tracker="t-2"),
        "delete_template": lambda: client.delete_template("pywa_spring"),
        "call": call,
        "number": lambda: client.get_business_phone_number().verified_name,
        "account": lambda: client.get_business_account().id,
        "profile": lambda: client.get_business_profile().about,
    }


def template():
    return templates.Template(
        name="pywa_spring", language=templates.TemplateLanguage.ENGLISH_US,
        category=templates.TemplateCategory.MARKETING, parameter_format=templates.ParamFormat.NAMED,
        components=[
            templates.HeaderText("For {{name}}", name="Bob"),
            templates.BodyText("Take {{share}} off, {{name}}!", share="10 %", name="Bob"),
            templates.FooterText(text="The shop"),
            templates.Buttons(buttons=[
                templates.QuickReplyButton(text="Stop"),
                templates.URLButton(text="Shop now", url="https://shop.example/c/{{1}}", example="https://shop.example/c/x"),
                templates.CopyCodeButton(example="SAVE10"),
            ]),
        ])


def parameters():
    return [
        templates.HeaderText.params(name="Ada"),
        templates.BodyText.params(share="20 %", name="Ada"),
        templates.QuickReplyButton.params(callback_data="stop", index=0),
        templates.URLButton.params(url_variable="abc-123", index=1),
        templates.CopyCodeButton.params(coupon_code="SAVE20", index=2),
    ]


def described(found):
    return {"status": found.status, "category": found.category, "format": found.parameter_format,
            "components": [type(one).__name__ for one in found.components]}


def plain(answer):
    """The id of what was sent; everything else as it is."""
    if isinstance(answer, others.SuccessResult):
        return answer.success
    return getattr(answer, "id", answer)


def run(base, phone_id, account, token, person, bsuid, message):
    version = base.rsplit("/v", 1)[1]
    client = pywa.WhatsApp(phone_id=phone_id, token=token, waba_id=account, api_version=version,
                           session=httpx.Client(transport=Elsewhere(base), trust_env=False, timeout=30))
    results, failed = {}, {}
    for name, step in steps(client, person, bsuid, message).items():
        try:
            results[name] = plain(step())
        except Exception as error:  # any error: the test prints the call
            failed[name] = f"{type(error).__name__}: {error}"
    return {"results": results, "failed": failed}


logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
print(json.dumps(run(*sys.argv[1:])))
