import { All, Controller, MethodNotAllowedException, Post, Req, Res } from '@nestjs/common';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Request, Response } from 'express';
import { McpTools } from './mcp.tools.js';

/** An MCP server without sessions: each request has its own transport, and its own user. */
@Controller('mcp')
export class McpController {
  constructor(private readonly tools: McpTools) {}

  @Post()
  async handle(@Req() request: Request, @Res() response: Response): Promise<void> {
    const server = this.tools.server();
    // Without a generator of session ids, the transport is stateless.
    const transport = new StreamableHTTPServerTransport();
    response.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  }

  /** There is no session whose events could be read or which could be ended. */
  @All()
  other(): never {
    throw new MethodNotAllowedException();
  }
}
