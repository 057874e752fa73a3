import { endpoints, object, TEXT } from 'kit-auth/feature';

export const helloApi = endpoints({
  'GET hello': { id: 'kitAuthHello', summary: 'Greets the current user', answer: object({ text: TEXT }) },
});
