// The pages of the demo provider: plain HTML, without a script.

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 26rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
label { display: block; margin: 1rem 0 0.25rem; font-weight: 600; }
label.choice { font-weight: 400; }
input:not([type='checkbox']) { box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; }
button { margin: 1.25rem 0.5rem 0 0; padding: 0.5rem 1.25rem; font: inherit; }
[role='alert'] { font-weight: 600; }
`;

function escaped(text) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}

function page(title, content) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<main>
<h1>${title}</h1>
${content}
</main>
</html>`;
}

/** @param problem what is wrong with the name that was sent @param maxLength of a name @param pattern of a name */
export function loginPage({ name = '', problem, maxLength, pattern }) {
  const alert = problem === undefined ? '' : `<p role="alert">${escaped(problem)}</p>`;
  return page(
    'Who are you at the demo provider?',
    `<p>Type any name. It stands for your account here, whose address is <em>name</em>@provider.example.</p>
${alert}
<form method="post">
<label for="name">Name</label>
<input id="name" name="name" value="${escaped(name)}" maxlength="${maxLength}" pattern="${escaped(pattern)}"
 title="Letters and digits, with dots or hyphens between them" autocomplete="off" autofocus required>
<label class="choice"><input type="checkbox" name="verified" checked> The address is verified</label>
<button name="answer" value="continue">Continue</button>
<button name="answer" value="cancel" formnovalidate>Cancel</button>
</form>`,
  );
}

/** @param form of the library, with the id `op.logoutForm` */
export function logoutPage(form) {
  return page(
    'Log out of the demo provider?',
    `${form}
<p>If you stay logged in, your next login with this provider does not ask who you are.</p>
<button form="op.logoutForm" name="logout" value="yes">Log out</button>
<button form="op.logoutForm">Stay logged in</button>`,
  );
}

export function messagePage(title, text) {
  return page(escaped(title), `<p>${escaped(text)}</p>`);
}
