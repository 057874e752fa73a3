import type { IoNamespace, IoParentNamespace } from './servers.js';

/**
 * Removes the namespaces of a dynamic one once they have no client, unless the application has created them. Socket.io keeps
 * each one that any client has named, also if that client was refused. Its option `cleanupEmptyChildNamespaces` would remove
 * them below clients that are about to be admitted.
 */
export function removeEmptyChildren(parent: IoParentNamespace): void {
  const { server } = parent;
  const check = server._checkNamespace.bind(server);
  server._checkNamespace = (name, auth, done) =>
    check(name, auth, (found) => {
      if (found !== false && parent.children.has(found)) {
        removeOnceEmpty(found, parent);
      }
      done(found);
    });
}

function removeOnceEmpty(child: IoNamespace, { server, children }: IoParentNamespace): void {
  const add = child._add.bind(child);
  const remove = child._remove.bind(child);
  let entering = 0;
  const removeIfEmpty = () => {
    if (entering + child.sockets.size + child._preConnectSockets.size === 0) {
      child.adapter.close();
      server._nsps.delete(child.name);
      children.delete(child);
    }
  };
  child._add = async (peer, auth, done) => {
    entering++;
    try {
      await add(peer, auth, done);
    } finally {
      entering--;
      removeIfEmpty();
    }
  };
  child._remove = (client) => {
    remove(client);
    removeIfEmpty();
  };
}
