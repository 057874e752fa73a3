import {
  All,
  Controller,
  Get,
  Head,
  type MessageEvent,
  Param,
  Post,
  Sse,
  StreamableFile,
} from '@nestjs/common';
import { CurrentUser, type LoginUser, Public } from 'kit-auth';
import { from, type Observable } from 'rxjs';

/** What no answer to a request without a token may hold. */
export const SECRET = 'order 4711';

@Controller('v1/orders')
class OrdersController {
  @Get()
  list(@CurrentUser() user?: LoginUser) {
    return { orders: SECRET, by: user?.username };
  }

  @Post()
  create() {
    return { created: SECRET };
  }

  @Get('info')
  info() {
    return { info: SECRET };
  }

  @Get('export.json')
  exported() {
    return { exported: SECRET };
  }

  @Sse('events')
  events(): Observable<MessageEvent> {
    return from([{ data: SECRET }]);
  }

  @Get('stream')
  stream() {
    return new StreamableFile(Buffer.from(SECRET));
  }

  @All('any')
  any() {
    return { any: SECRET };
  }

  @Head('head')
  head() {
    return undefined;
  }

  @Get(['one', 'two'])
  several() {
    return { several: SECRET };
  }

  @Get('files/*')
  file() {
    return { file: SECRET };
  }

  @Get(':id')
  get(@Param('id') id: string) {
    return { id, order: SECRET };
  }
}

@Controller('v1/public')
class PublicController {
  @Get('info')
  info() {
    return { open: true };
  }
}

@Controller('v1/publicx')
class AlmostPublicController {
  @Get()
  info() {
    return { orders: SECRET };
  }
}

@Controller('v2/orders')
class OrdersV2Controller {
  @Get()
  list() {
    return { orders: SECRET };
  }
}

@Controller(['v10/x', 'health', 'api/v1x', 'v1x'])
class OutsideController {
  @Get()
  get() {
    return { open: true };
  }
}

@Controller('v1')
class RootController {
  @Get()
  get() {
    return { root: SECRET };
  }
}

@Controller('v1/mixed')
class MixedController {
  @Get()
  @Public()
  read() {
    return { open: true };
  }

  @Post()
  write() {
    return { written: SECRET };
  }
}

@Public()
@Controller('v1/open')
class OpenController {
  @Get()
  get() {
    return { open: true as boolean };
  }

  @Public(false)
  @Get('closed')
  closed() {
    return { closed: SECRET };
  }
}

@Controller('v1/inherited')
class InheritedController extends OpenController {}

@Controller('v1/overridden')
class OverridingController extends OpenController {
  @Public(false)
  @Get()
  override get() {
    return { open: false, overridden: SECRET };
  }
}

/** An application with routes inside and outside of the guarded paths. */
export const SHOP = [
  RootController,
  OrdersController,
  PublicController,
  AlmostPublicController,
  OrdersV2Controller,
  OutsideController,
  MixedController,
  OpenController,
  InheritedController,
  OverridingController,
];
