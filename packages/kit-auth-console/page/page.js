// The entry: who is logged in, and what happens when a login begins or ends.
import { access, can, hasUserPages, loadAccess } from './access.js';
import { accountPage } from './account.js';
import {
  ENROLMENT_REQUIRED,
  FORBIDDEN,
  on,
  PASSWORD_CHANGE_REQUIRED,
  TOKEN_INVALID,
  TOKEN_MISSING,
} from './api.js';
import { auditPage } from './audit.js';
import { confirmLogin } from './confirm.js';
import { closeDialogs } from './dialogs.js';
import { fill, h } from './dom.js';
import { firstPage, frame, isPage, person, showFrame } from './frame.js';
import { enrolment, noRights, openGate, outage, passwordChange } from './gates.js';
import { invitationsPage, newInvitationPage } from './invitations.js';
import { loadLanguage } from './language.js';
import { logIn } from './login.js';
import { newUserPage } from './new-user.js';
import { newRolePage, rolePage } from './role.js';
import { rolesPage } from './roles.js';
import { followLinks, go, here, outlet, reload, setRoutes, show } from './router.js';
import { title } from './settings.js';
import { userPage } from './user.js';
import { usersPage } from './users.js';

const app = document.getElementById('app');

const GATES = {
  [FORBIDDEN]: noRights,
  [ENROLMENT_REQUIRED]: enrolment,
  [PASSWORD_CHANGE_REQUIRED]: passwordChange,
};

let entering;
/** Why the last login has ended, until the user was told. */
let endReason;
/** A login has begun or ended since `GET console` was sent. */
let isOutdated;

/** Lets the user in, through the gates that are closed, and shows the page. */
export async function enter() {
  if (entering === undefined) {
    const former = access;
    // Only until the user is in: the login may end again while the page is shown.
    entering = letIn().finally(() => (entering = undefined));
    await entering;
    await present(former);
  } else {
    await entering;
  }
}

async function letIn() {
  for (;;) {
    try {
      isOutdated = false;
      await loadAccess();
      if (!isOutdated) {
        return;
      }
    } catch (error) {
      if (error.code === TOKEN_INVALID || error.code === TOKEN_MISSING) {
        await logIn(endReason ?? error.reason);
        endReason = undefined;
      } else {
        await (GATES[error.code] ?? outage)(error);
      }
    }
  }
}

/** @param former what the user before was allowed to do */
async function present(former) {
  showFrame();
  if (former?.user.userId !== access.user.userId) {
    closeDialogs();
    fill(app, frame());
    await (here().path === '' ? go(firstPage(), { replace: true }) : show());
  } else if (outlet.childElementCount === 0) {
    await show();
  } else if (JSON.stringify(former) !== JSON.stringify(access)) {
    await reload();
  }
}

/** Hides what the page shows of the user. */
function hide() {
  fill(outlet);
  fill(person);
  document.title = title;
  closeDialogs();
}

on.end = (reason) => {
  if (reason === 'logged-out') {
    hide(); // another person may sit down
  }
  isOutdated = true;
  endReason = reason;
  openGate();
  void enter();
};
on.login = () => {
  isOutdated = true;
  openGate();
  void enter();
};
on.confirm = confirmLogin;
on.forbidden = () => void enter();

async function search() {
  if (here().path !== 'users') {
    await go('users');
  }
  document.getElementById('search')?.focus();
}

addEventListener('keydown', (event) => {
  const isSearch = event.key === 'k' && (event.ctrlKey || event.metaKey);
  if (isSearch && access && hasUserPages() && !document.querySelector('dialog[open]')) {
    event.preventDefault();
    void search();
  }
});
// The page may come back long after it was left.
addEventListener(
  'pageshow',
  ({ persisted }) => persisted && void enter().then(() => show({ keepNotices: true })),
);

setRoutes(
  [
    { path: '', view: () => go(firstPage(), { replace: true }) },
    { path: 'users', view: usersPage },
    { path: 'users/~new', view: newUserPage, isThere: () => can('POST users') },
    { path: 'users/:id', view: userPage },
    { path: 'users/:id/:tab', view: userPage },
    { path: 'roles', view: rolesPage, isThere: isPage('roles') },
    { path: 'roles/~new', view: newRolePage, isThere: () => can('POST roles') },
    { path: 'roles/:code', view: rolePage },
    { path: 'invitations', view: invitationsPage, isThere: isPage('invitations') },
    { path: 'invitations/~new', view: newInvitationPage, isThere: () => can('POST invitations') },
    { path: 'audit', view: auditPage, isThere: isPage('audit') },
    { path: 'account', view: accountPage },
  ],
  showFrame,
);
try {
  await loadLanguage();
} catch (error) {
  // Another version of the application may have answered. No other text is there.
  fill(app, h('p', { class: 'notice bad' }, 'The page could not be loaded. Reload it.'));
  throw error;
}
followLinks();
await enter();
