// Gives an API whose host name has no DNS here an address: whatever comes to the port that is printed goes to URL under the Host header HOST.
//   node .ci/api-proxy.mjs URL HOST
import { createServer, request } from 'node:http';

const [url, host] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const server = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming;
  const forwarded = request(
    { hostname, port, method, path, headers: { ...headers, host } },
    (answer) => {
      outgoing.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(outgoing);
    },
  );
  forwarded.on('error', (error) => outgoing.destroy(error));
  incoming.pipe(forwarded);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
