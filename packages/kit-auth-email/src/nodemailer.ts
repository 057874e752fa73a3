export { ENGLISH } from './nodemailer/english.js';
export { GERMAN } from './nodemailer/german.js';
export type { MailLanguage, MailText, MailTextKind, MailWords } from './nodemailer/mail.texts.js';
export { MailNotSentError, NodemailerMailer } from './nodemailer/nodemailer.mailer.js';
export type { NodemailerMailerOptions } from './nodemailer/nodemailer.options.js';
export {
  type MailContext,
  type MailLayout,
  type RenderedMail,
  standardLayout,
} from './nodemailer/standard.layout.js';
export { escapeHtml } from './nodemailer/words.js';
