import { auth } from '/shared.js';

let socket;

/** Calls a function when the user logs in or out elsewhere. The client reconnects, and notices the end of the login. */
export function showLive(onChange) {
  hideLive();
  socket = auth.socket('/v1/live');
  // The list is loaded already when it opens for the first time.
  socket.onopen = () => (socket.onopen = onChange);
  socket.onmessage = onChange;
}

export function hideLive() {
  socket?.close();
  socket = undefined;
}
