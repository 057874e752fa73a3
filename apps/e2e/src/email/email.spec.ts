import { describeAddresses } from './address.suite.js';
import { describeReset } from './reset.suite.js';

describeReset('sqlite', 'jwt', 3);
describeReset('sqlite', 'session', 3);
describeAddresses('sqlite', 'jwt');
describeAddresses('sqlite', 'session');
