// What a browser calls itself, in short. Each browser also names those that it is compatible with, so the order matters.
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

/** Such as `Firefox, Android`. Undefined for what is no known browser. */
export function deviceOf(userAgent) {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (all) => all.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0],
  );
  return browser && [browser, system].filter(Boolean).join(', ');
}
