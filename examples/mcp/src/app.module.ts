import { Module } from '@nestjs/common';
import { KitAuthModule } from 'kit-auth';
import { KitAuthIssuersModule } from 'kit-auth-issuers';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { McpController } from './mcp/mcp.controller.js';
import { McpTools } from './mcp/mcp.tools.js';
import { UsersModule } from './users/users.module.js';

@Module({
  imports: [
    KitAuthModule.forRoot({ protect: ['/mcp'], jwt: { secret: required('JWT_SECRET') }, users: UsersModule }),
    KitAuthJwtModule,
    KitAuthIssuersModule.forRootAsync({
      useFactory: () => ({
        resource: required('RESOURCE'),
        issuers: [
          {
            issuer: required('ISSUER'),
            // MCP clients name the server when they ask for a token (RFC 8707), so its URL is the audience.
            audience: required('RESOURCE'),
            user: { claims: { permissions: { fromScope: { 'notes.read': ['note:read'] } } } },
          },
        ],
      }),
    }),
  ],
  controllers: [McpController],
  providers: [McpTools],
})
export class AppModule {}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`the environment variable ${name} is missing, see .env.example`);
  }
  return value;
}
