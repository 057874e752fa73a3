/** The client that sent a request. */
export interface Client {
  /**
   * The IP address as the platform reports it, subject to the application's trust-proxy setting. Undefined when it is
   * unknown, for example after a connection reset or over a Unix socket.
   */
  address: string | undefined;
  userAgent: string | undefined;
  /** Whether the response is closed, because it was sent or because the client disconnected. */
  hasLeft(): boolean;
}
