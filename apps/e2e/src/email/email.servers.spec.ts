import { describeAddresses } from './address.suite.js';
import { describeReset } from './reset.suite.js';

describeReset('postgres', 'session', 10);
describeReset('mariadb', 'jwt', 10);
describeAddresses('postgres', 'jwt');
describeAddresses('mariadb', 'session');
