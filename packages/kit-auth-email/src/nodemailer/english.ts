import type { MailLanguage } from './mail.texts.js';

const NOTHING_TO_DO = 'If that was you, there is nothing to do.';
const ONCE = 'The link works once, for {duration}.';

/** The built-in texts. Copy them to write those of another language. */
export const ENGLISH: MailLanguage = {
  username: 'Your username',
  copyLink: 'If the button does not work, copy this link into your browser:',
  footer:
    '{app} sent this mail automatically. Nobody at {app} will ever ask you for a link or for your password.',
  mails: {
    reset: {
      subject: 'Choose a new password for {app}',
      title: 'Choose a new password',
      body: [
        'Someone asked for a new password for your account at {app}: probably you, or an administrator.',
      ],
      button: 'Choose a new password',
      notes: [
        ONCE,
        'If that was not you, ignore this mail. Your password stays as it is. Do not give the link to anyone.',
      ],
    },
    'verify-address': {
      subject: 'Confirm your address for {app}',
      title: 'Confirm your email address',
      body: ['Someone, probably you, wants to use this email address for an account at {app}.'],
      button: 'Confirm this address',
      notes: [ONCE, 'If that was not you, ignore this mail. The address will not be used.'],
    },
    'address-change': {
      subject: 'A new address for your {app} account?',
      title: 'Someone asked to change your email address',
      body: [
        'Someone who is logged in to your account at {app} asked to replace this email address with another one. ' +
          'Nothing has changed yet.',
        'We sent a link to the new address. It works for {duration}. After it is used, mails no longer go to this address.',
      ],
      notes: [
        NOTHING_TO_DO,
        'If that was not you, someone else may be using your account. Log in to {app} and stop the change at once: choose ' +
          'another password, or end all your sessions.',
      ],
    },
    'address-changed': {
      subject: 'Your {app} account has a new address',
      title: 'Your email address has changed',
      body: [
        'Your account at {app} now has another email address. Mails about the account, such as links to choose a new ' +
          'password, no longer go to this address.',
      ],
      notes: [
        NOTHING_TO_DO,
        'If that was not you, someone else is using your account. Contact the people who run {app} at once.',
      ],
    },
    'password-changed': {
      subject: 'Your {app} password has changed',
      title: 'Your password has changed',
      body: ['The password of your account at {app} was just changed.'],
      notes: [
        NOTHING_TO_DO,
        'If that was not you, someone else may be using your account. Choose a new password at once, with ' +
          '“Forgot password” on the login page of {app}.',
      ],
    },
    register: {
      subject: 'Finish your registration at {app}',
      title: 'Finish your registration',
      body: [
        'Someone, probably you, wants to register at {app} with this email address. Follow the link to choose a ' +
          'password and create your account.',
      ],
      button: 'Finish my registration',
      notes: [ONCE, 'If that was not you, ignore this mail. No account will be created.'],
    },
    'already-registered': {
      subject: 'You already have an account at {app}',
      title: 'You already have an account',
      body: [
        'Someone, probably you, wanted to register or log in at {app} with this email address. You already have an account: ' +
          'log in the way you did before.',
      ],
      notes: [
        'If you do not remember the password, choose “Forgot password” on the login page of {app}.',
        'If that was not you, there is nothing to do. Nobody got access to your account.',
      ],
    },
    invite: {
      subject: 'Your invitation to {app}',
      title: 'You are invited to {app}',
      body: [
        'An administrator of {app} has invited you. Follow the link to choose a password and create your account.',
      ],
      button: 'Accept the invitation',
      notes: [ONCE, 'If you did not expect an invitation, ignore this mail. No account will be created.'],
    },
    login: {
      subject: 'Log in to {app}',
      title: 'Log in to {app}',
      body: ['Someone, probably you, wants to log in to {app} with this email address.'],
      button: 'Log in',
      code: 'The link works in the browser in which you asked for it. To log in anywhere else, enter this code there:',
      notes: [
        'The link and the code work once, for {duration}.',
        'If that was not you, ignore this mail. Do not give the link or the code to anyone.',
      ],
    },
    confirm: {
      subject: 'Your code for {app}',
      title: 'Confirm that it is you',
      body: [
        'Someone who is logged in to your account at {app}, probably you, wants to confirm that it is you.',
      ],
      code: 'Enter this code where you were asked for it:',
      notes: [
        'The code works once, for {duration}, and only in the login in which it was asked for.',
        'If that was not you, someone else may be using your account: log in to {app}, and end your other sessions. Do not give ' +
          'the code to anyone.',
      ],
    },
    'factor-changed': {
      subject: 'Your {app} login has changed',
      title: 'The way you log in has changed',
      body: [
        'A passkey, a second factor or a login with another service was added to your account at {app} or removed from it, or ' +
          'recovery codes were used or replaced.',
      ],
      notes: [
        NOTHING_TO_DO,
        'If that was not you, someone else may be using your account. Change your password at once, if you have one. ' +
          'Then check your passkeys, second factors and logins with other services: a new password leaves them as they are.',
      ],
    },
    'key-created': {
      subject: 'A new API key for your {app} account',
      title: 'A new API key was created',
      body: [
        'A new API key was created for your account at {app}. Programs that have the key can use your account without ' +
          'your password.',
      ],
      notes: [
        NOTHING_TO_DO,
        'If that was not you, someone else may be using your account. End the key, and change your password at once.',
      ],
    },
  },
};
