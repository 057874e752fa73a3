export { ENGLISH } from './nodemailer/english.js';
export { GERMAN } from './nodemailer/german.js';
export { escapeHtml } from './nodemailer/html.js';
export { MailNotSentError } from './nodemailer/mail-not-sent.error.js';
export type { MailLanguage, MailText, MailTextKind, MailWords } from './nodemailer/mail.texts.js';
export { NodemailerMailer } from './nodemailer/nodemailer.mailer.js';
export type { NodemailerMailerOptions } from './nodemailer/nodemailer.options.js';
export type { MailContext, MailLayout, RenderedMail } from './nodemailer/rendered-mail.js';
export { standardLayout } from './nodemailer/standard.layout.js';
