import { createTransport, type Transporter } from 'nodemailer';
import { type NodemailerMailerOptions, problem } from './nodemailer.options.js';

const WAIT_MS = 10_000;
/** nodemailer would wait ten minutes for a server that has fallen silent. */
const WAITS = {
  connectionTimeout: WAIT_MS,
  greetingTimeout: WAIT_MS,
  socketTimeout: WAIT_MS,
  dnsTimeout: WAIT_MS,
};
/** What makes an object a transport for nodemailer, which would otherwise try localhost. */
const KINDS = ['url', 'host', 'service', 'sendmail', 'streamTransport', 'jsonTransport', 'SES', 'getSocket'];

/** @throws IllegalStateException for no transport. Its text has no credentials, which URLs may contain. */
export function transporterFor(
  transport: NodemailerMailerOptions['transport'] | undefined,
): Pick<Transporter<unknown>, 'sendMail' | 'close'> {
  if (typeof transport === 'object' && 'send' in transport && typeof transport.send === 'function') {
    return createTransport(transport);
  }
  const options: object = typeof transport === 'string' ? { url: transport } : { ...transport };
  if (!KINDS.some((key) => key in options)) {
    throw problem(
      'transport is missing: a URL such as smtps://smtp.example, or options of nodemailer with a host',
    );
  }
  if ('url' in options && !isSmtp(options.url)) {
    throw problem('transport must begin with smtp:// or smtps:// and name a host');
  }
  return createTransport({ ...WAITS, ...options });
}

function isSmtp(url: unknown): boolean {
  return (
    typeof url === 'string' && /^smtps?:\/\//i.test(url) && URL.canParse(url) && new URL(url).hostname !== ''
  );
}
