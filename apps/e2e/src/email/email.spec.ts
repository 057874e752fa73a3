import { IS_SWEEP } from 'test-support';
import { describeAddresses } from './address.suite.js';
import { describeReset } from './reset.suite.js';

describeReset('sqlite', 'jwt');
describeAddresses('sqlite', 'session');
if (IS_SWEEP) {
  describeReset('sqlite', 'session');
  describeAddresses('sqlite', 'jwt');
}
