/** A mail server in the process of the test: speaks SMTP without TLS, accepts every mail and keeps it. */
import net from 'node:net';
import { createInterface } from 'node:readline';

export class MailReceiver {
  /** Each mail that arrived: sender, recipient, headers and text as they were sent. */
  mails = [];

  async start() {
    this.server = net.createServer((socket) => {
      socket.on('error', () => {});
      this.#converse(socket).catch(() => socket.destroy());
    });
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  stop() {
    this.server.close();
  }

  /** Settings of a server that sends its mail here. */
  settings() {
    return {
      SWITCHBOARD_SMTP_HOST: '127.0.0.1',
      SWITCHBOARD_SMTP_PORT: String(this.server.address().port),
      SWITCHBOARD_SMTP_SECURITY: 'none',
      SWITCHBOARD_SMTP_FROM: 'Switchboard <switchboard@acme.example>',
    };
  }

  /** The mails to an address. */
  to(email) {
    return this.mails.filter((mail) => mail.to === email);
  }

  async #converse(socket) {
    const say = (line) => socket.write(`${line}\r\n`);
    let mail = {};
    let lines = null;
    say('220 test ESMTP');
    for await (const line of createInterface({ input: socket })) {
      if (lines) {
        if (line !== '.') {
          lines.push(line.replace(/^\./, ''));
          continue;
        }
        this.mails.push({ ...mail, ...parse(lines) });
        lines = null;
        say('250 kept');
        continue;
      }
      const verb = line.split(/[ :]/)[0].toUpperCase();
      if (verb === 'MAIL') mail = { from: address(line) };
      if (verb === 'RCPT') mail.to = address(line);
      if (verb === 'DATA') lines = [];
      say({ EHLO: '250 test', DATA: '354 go on', QUIT: '221 bye' }[verb] ?? '250 ok');
      if (verb === 'QUIT') return socket.end();
    }
  }
}

const address = (line) => line.match(/<(.*)>/)?.[1] ?? '';

/** Headers by their names in small letters, and the text without the line breaks of quoted-printable. */
function parse(lines) {
  const end = lines.indexOf('');
  const headers = Object.fromEntries(lines.slice(0, end).map((line) => line.split(/: (.*)/s)).map(([name, value]) => [name.toLowerCase(), value]));
  return { headers, text: lines.slice(end + 1).join('\n').replaceAll('=\n', '').replaceAll('=3D', '=') };
}
