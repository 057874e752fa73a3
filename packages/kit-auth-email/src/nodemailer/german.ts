import type { MailLanguage } from './mail.texts.js';

const ONCE = 'Der Link funktioniert einmal und gilt {duration} lang.';
const NOTHING_TO_DO = 'Wenn Sie das waren, müssen Sie nichts tun.';

/** The texts in German, for `locales` of a `NodemailerMailer`. */
export const GERMAN: MailLanguage = {
  username: 'Ihr Benutzername',
  copyLink: 'Wenn die Schaltfläche nicht funktioniert, kopieren Sie diesen Link in Ihren Browser:',
  footer:
    '{app} hat diese E-Mail automatisch gesendet. Niemand bei {app} fragt Sie je nach einem Link oder Ihrem Passwort.',
  mails: {
    reset: {
      subject: 'Neues Passwort für {app}',
      title: 'Neues Passwort wählen',
      body: [
        'Jemand hat ein neues Passwort für Ihr Konto bei {app} angefordert: wohl Sie selbst oder die Administration.',
      ],
      button: 'Neues Passwort wählen',
      notes: [
        ONCE,
        'Wenn Sie das nicht waren, beachten Sie diese E-Mail nicht: Ihr Passwort bleibt, wie es ist. Geben Sie den Link nicht weiter.',
      ],
    },
    'verify-address': {
      subject: 'Ihre E-Mail-Adresse bei {app}',
      title: 'E-Mail-Adresse bestätigen',
      body: ['Jemand, wohl Sie selbst, möchte diese E-Mail-Adresse für ein Konto bei {app} verwenden.'],
      button: 'Adresse bestätigen',
      notes: [
        ONCE,
        'Wenn Sie das nicht waren, beachten Sie diese E-Mail nicht: Die Adresse wird dann nicht verwendet.',
      ],
    },
    'address-change': {
      subject: 'Neue Adresse für Ihr Konto bei {app}?',
      title: 'Eine neue E-Mail-Adresse wurde angegeben',
      body: [
        'Jemand, der in Ihrem Konto bei {app} angemeldet ist, möchte diese E-Mail-Adresse durch eine andere ersetzen. Noch hat sich nichts geändert.',
        'An die neue Adresse ging ein Link, der {duration} lang gilt. Wird er benutzt, kommen E-Mails nicht mehr hier an.',
      ],
      notes: [
        NOTHING_TO_DO,
        'Wenn Sie das nicht waren, benutzt vielleicht jemand anderes Ihr Konto. Melden Sie sich bei {app} an, und verhindern Sie die Änderung sofort: Wählen Sie ein anderes Passwort, oder beenden Sie alle Ihre Sitzungen.',
      ],
    },
    'address-changed': {
      subject: 'Ihr Konto bei {app} hat eine neue Adresse',
      title: 'Ihre E-Mail-Adresse wurde geändert',
      body: [
        'Ihr Konto bei {app} hat jetzt eine andere E-Mail-Adresse. E-Mails zum Konto, etwa mit Links für ein neues Passwort, gehen dorthin und nicht mehr an diese Adresse.',
      ],
      notes: [
        NOTHING_TO_DO,
        'Wenn Sie das nicht waren, benutzt jemand anderes Ihr Konto. Wenden Sie sich sofort an die Betreiber von {app}.',
      ],
    },
    'password-changed': {
      subject: 'Ihr Passwort für {app} wurde geändert',
      title: 'Ihr Passwort wurde geändert',
      body: ['Das Passwort Ihres Kontos bei {app} wurde soeben geändert.'],
      notes: [
        NOTHING_TO_DO,
        'Wenn Sie das nicht waren, benutzt vielleicht jemand anderes Ihr Konto. Wählen Sie sofort ein neues Passwort, mit „Passwort vergessen“ auf der Anmeldeseite von {app}.',
      ],
    },
    register: {
      subject: 'Ihre Registrierung bei {app}',
      title: 'Registrierung abschließen',
      body: [
        'Jemand, wohl Sie selbst, möchte sich mit dieser E-Mail-Adresse bei {app} registrieren. Folgen Sie dem Link, um ein Passwort zu wählen. Danach wird Ihr Konto angelegt.',
      ],
      button: 'Registrierung abschließen',
      notes: [
        ONCE,
        'Wenn Sie das nicht waren, beachten Sie diese E-Mail nicht: Es wird dann kein Konto angelegt.',
      ],
    },
    'already-registered': {
      subject: 'Sie haben schon ein Konto bei {app}',
      title: 'Sie haben schon ein Konto',
      body: [
        'Jemand, wohl Sie selbst, wollte sich mit dieser E-Mail-Adresse bei {app} registrieren oder anmelden. Sie gehört schon zu einem Konto: Melden Sie sich an wie bisher.',
      ],
      notes: [
        'Wenn Sie das Passwort nicht mehr wissen, wählen Sie „Passwort vergessen“ auf der Anmeldeseite von {app}.',
        'Wenn Sie das nicht waren, müssen Sie nichts tun. Niemand hat Zugang zu Ihrem Konto bekommen.',
      ],
    },
    invite: {
      subject: 'Ihre Einladung zu {app}',
      title: 'Sie sind zu {app} eingeladen',
      body: [
        'Die Administration von {app} hat Sie eingeladen. Folgen Sie dem Link, um ein Passwort zu wählen. Danach wird Ihr Konto angelegt.',
      ],
      button: 'Einladung annehmen',
      notes: [
        ONCE,
        'Wenn Sie keine Einladung erwarten, beachten Sie diese E-Mail nicht: Es wird dann kein Konto angelegt.',
      ],
    },
    login: {
      subject: 'Anmeldung bei {app}',
      title: 'Bei {app} anmelden',
      body: ['Jemand, wohl Sie selbst, möchte sich mit dieser E-Mail-Adresse bei {app} anmelden.'],
      button: 'Anmelden',
      code: 'Der Link funktioniert in dem Browser, in dem Sie ihn angefordert haben. Wollen Sie sich woanders anmelden, geben Sie dort diesen Code ein:',
      notes: [
        'Link und Code funktionieren einmal und gelten {duration} lang.',
        'Wenn Sie das nicht waren, beachten Sie diese E-Mail nicht. Geben Sie Link und Code an niemanden weiter.',
      ],
    },
    confirm: {
      subject: 'Ihr Code für {app}',
      title: 'Bestätigen, dass Sie es sind',
      body: [
        'Jemand, der in Ihrem Konto bei {app} angemeldet ist, wohl Sie selbst, möchte bestätigen, dass Sie es sind.',
      ],
      code: 'Geben Sie diesen Code dort ein, wo Sie danach gefragt wurden:',
      notes: [
        'Der Code funktioniert einmal, gilt {duration} lang, und nur in der Anmeldung, in der er angefordert wurde.',
        'Wenn Sie das nicht waren, benutzt vielleicht jemand anderes Ihr Konto: Melden Sie sich bei {app} an, und beenden Sie Ihre anderen Sitzungen. Geben Sie den Code an niemanden weiter.',
      ],
    },
    'factor-changed': {
      subject: 'Änderung Ihrer Anmeldung bei {app}',
      title: 'Ihre Anmeldung wurde geändert',
      body: [
        'Bei Ihrem Konto bei {app} wurde ein Passkey, ein zweiter Faktor oder die Anmeldung über einen anderen Dienst hinzugefügt oder entfernt, oder Wiederherstellungscodes wurden benutzt oder ersetzt.',
      ],
      notes: [
        NOTHING_TO_DO,
        'Wenn Sie das nicht waren, benutzt vielleicht jemand anderes Ihr Konto. Ändern Sie sofort Ihr Passwort, wenn Sie eines haben. Prüfen Sie dann Ihre Passkeys, zweiten Faktoren und Anmeldungen über andere Dienste: Ein neues Passwort ändert daran nichts.',
      ],
    },
    'key-created': {
      subject: 'Ein neuer API-Schlüssel für Ihr Konto bei {app}',
      title: 'Ein neuer API-Schlüssel wurde erstellt',
      body: [
        'Für Ihr Konto bei {app} wurde ein neuer API-Schlüssel erstellt. Programme, die ihn haben, können Ihr Konto ohne Ihr Passwort benutzen.',
      ],
      notes: [
        NOTHING_TO_DO,
        'Wenn Sie das nicht waren, benutzt vielleicht jemand anderes Ihr Konto. Beenden Sie den Schlüssel, und ändern Sie sofort Ihr Passwort.',
      ],
    },
  },
};
