import { Injectable } from '@nestjs/common';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { KitAuthContext } from 'kit-auth';

@Injectable()
export class McpTools {
  constructor(private readonly context: KitAuthContext) {}

  server(): McpServer {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    server.registerTool('whoami', { description: 'The user of this client' }, () => {
      const { userId, username, permissions } = this.context.getOrThrow();
      return textOf({ userId, username, permissions });
    });
    server.registerTool('list-notes', { description: 'The titles of all notes' }, () =>
      this.context.getOrThrow().permissions.includes('note:read')
        ? textOf(['Milk', 'Bread'])
        : { ...textOf('The scope notes.read is needed'), isError: true },
    );
    return server;
  }
}

function textOf(value: unknown) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(value) }] };
}
