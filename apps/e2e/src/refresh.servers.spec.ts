import { describeRefresh } from './refresh.suite.js';

describeRefresh('postgres', 200);
describeRefresh('mariadb', 50);
