declare const document: any;

export interface Target {
  readonly method: string;
  readonly url: string;
}

/** A request that the server has answered. */
export interface Seen {
  method: string;
  url: string;
  /** The status, or the code of a refusal. */
  outcome: number;
}

/** For a hostile page: forms and requests to targets. Resolves when all are answered or refused. */
export const sendEverything = async ([posts, others, body]: readonly [
  readonly Target[],
  readonly Target[],
  string,
]) => {
  const credentials = 'include';
  const name = body.slice(0, -1) + ',"x":"';
  const forms = posts.map(({ url }) => {
    const [frame, form, input] = ['iframe', 'form', 'input'].map((it) => document.createElement(it));
    frame.name = form.target = url;
    Object.assign(form, { action: url, method: 'post', enctype: 'text/plain' });
    Object.assign(input, { name, value: '"}' });
    form.append(input);
    document.body.append(frame, form);
    return new Promise((resolve) => {
      frame.onload = resolve;
      form.submit();
    });
  });
  const requests = posts.map(({ url }) => fetch(url, { method: 'POST', mode: 'no-cors', credentials, body }));
  const refused = others.map(({ method, url }) =>
    fetch(url, { method, credentials, ...(method !== 'DELETE' && { body }) }).then(
      () => Promise.reject(new Error(`${method} ${url} was answered`)),
      () => undefined,
    ),
  );
  await Promise.all([...forms, ...requests, ...refused]);
};
