// Verifies signatures with the Standard Webhooks library for JavaScript. Reads a JSON array of {secret, headers, body}
// and prints an array: null for a valid signature, else the reason.
//
// usage: node standard_webhooks.mjs < deliveries.json
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

function judged({ secret, headers, body }) {
  try {
    new Webhook(secret).verify(body, headers);
    return null;
  } catch (error) {
    return error.message;
  }
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(judged)));
