// An informer of @kubernetes/client-node stays correct while the server is killed and started again: its cache ends
// up equal to what the server has, and no event is seen twice or in the wrong order.
//
//   node informer_test.mjs KUBECONFIG COMMANDS-FIFO
//
// Commands, one a line: `expect N` waits until the cache has N objects and prints them; `end` stops.
import * as k8s from '@kubernetes/client-node';
import * as readline from 'node:readline';

const [, , kubeconfig] = process.argv;
const config = new k8s.KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(k8s.CoreV1Api);
const path = '/api/v1/namespaces/default/configmaps';
const selector = 'app=informer';
const list = () => api.listNamespacedConfigMap({ namespace: 'default', labelSelector: selector });
const informer = k8s.makeInformer(config, path, list, selector);

const cache = new Map();
const problems = [];
const revision = (object) => BigInt(object.metadata.resourceVersion);
const remember = (event) => (object) => {
  const known = cache.get(object.metadata.name);
  if (known && revision(object) < revision(known)) problems.push(`${event} of ${object.metadata.name} went back in time`);
  cache.set(object.metadata.name, object);
};
informer.on('add', remember('add'));
informer.on('update', remember('update'));
informer.on('delete', (object) => cache.delete(object.metadata.name));
// The server is away now and then: that is what this test is about. Try again until it is back.
informer.on('error', () => setTimeout(() => informer.start().catch(() => {}), 50));
const start = () => informer.start().catch(() => setTimeout(start, 50));
await start();

const until = (condition) =>
  new Promise((resolve) => {
    const check = () => (condition() ? resolve() : setTimeout(check, 20));
    check();
  });

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [command, argument] = line.trim().split(' ');
  if (command === 'end') break;
  const wanted = new Map(argument.split(',').filter(Boolean).map((pair) => pair.split('=')));
  await until(() => cache.size === wanted.size && [...wanted].every(([name, value]) => cache.get(name)?.data?.value === value));
  console.log(problems.length === 0 ? 'ok' : `problems: ${problems.join('; ')}`);
}
process.exit(problems.length === 0 ? 0 : 1);
