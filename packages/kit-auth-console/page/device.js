// Short names of browsers. Each browser also names the browsers that it is compatible with, so the order matters.
const BROWSERS = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|HeadlessChrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** For example `Firefox, Android`. Undefined for unknown browsers. */
export function deviceOf(userAgent) {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (all) => all.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0],
  );
  return browser && [browser, system].filter(Boolean).join(', ');
}
