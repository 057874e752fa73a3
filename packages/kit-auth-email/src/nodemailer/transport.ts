import { createTransport, type Transporter } from 'nodemailer';
import { type NodemailerMailerOptions, problem } from './nodemailer.options.js';

const WAIT_MS = 10_000;
/** The default of nodemailer is ten minutes for a server that stops answering. */
const WAITS = {
  connectionTimeout: WAIT_MS,
  greetingTimeout: WAIT_MS,
  socketTimeout: WAIT_MS,
  dnsTimeout: WAIT_MS,
};
/** nodemailer needs one of these in an object. Otherwise it connects to localhost. */
const KINDS = ['url', 'host', 'service', 'sendmail', 'streamTransport', 'jsonTransport', 'SES', 'getSocket'];

/** @throws IllegalStateException if it is not a transport. The message omits the URL, which may contain credentials */
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
