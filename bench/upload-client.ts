// Sends many uploads at once, on a thread of its own so that whoever measures is not held up.
import http from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

export interface UploadLoad {
  readonly address: string;
  readonly uploads: number;
  readonly megabytes: number;
}

const PIECE = Buffer.alloc(65_536, 'sheaf ');
const BOUNDARY = 'bench';

function upload({ address, megabytes }: UploadLoad): Promise<number> {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="files"; filename="bench.bin"\r\n\r\n`;
  const tail = `\r\n--${BOUNDARY}--\r\n`;
  let left = megabytes * 1_000_000;
  const headers = {
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': head.length + left + tail.length,
  };
  return new Promise((resolve, reject) => {
    const request = http.request(`${address}/api/upload`, { method: 'POST', headers, agent: false });
    request.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode!)));
    request.on('error', reject);
    request.write(head);
    const next = (): void => {
      while (left > 0) {
        const piece = PIECE.subarray(0, Math.min(left, PIECE.length));
        left -= piece.length;
        if (!request.write(piece)) {
          request.once('drain', next);
          return;
        }
      }
      request.end(tail);
    };
    next();
  });
}

const load = workerData as UploadLoad;
const statuses = await Promise.all(Array.from({ length: load.uploads }, () => upload(load)));
parentPort!.postMessage(statuses);
