import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { WsException } from '@nestjs/websockets';

/** A refused message of a gateway. Its `getError()` is the body for the client. */
export class GatewayRefusal extends WsException {}

/** A client of socket.io, or of `ws`. The latter has `emit` as well, for listeners in this process. */
interface GatewayClient {
  readonly readyState?: number;
  send(data: string): void;
  emit(event: string, data: unknown): void;
}

/** Sends the body to the client. The filter of Nest 11 does not reach clients of `ws`. */
@Catch(GatewayRefusal)
class GatewayRefusalFilter implements ExceptionFilter {
  catch(refusal: GatewayRefusal, host: ArgumentsHost): void {
    const client = host.switchToWs().getClient<GatewayClient>();
    const data = refusal.getError();
    if (typeof client.readyState === 'number') {
      client.send(JSON.stringify({ event: 'exception', data }));
    } else {
      client.emit('exception', data);
    }
  }
}

export const gatewayRefusalFilter = new GatewayRefusalFilter();
