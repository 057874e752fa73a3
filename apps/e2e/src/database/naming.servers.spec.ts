import { describeNaming } from './naming.suite.js';

describeNaming('postgres', 'own');
describeNaming('mariadb');
