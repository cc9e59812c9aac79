// Files in a bucket of Amazon S3, or of a server that speaks its protocol such as MinIO or R2. The client of Amazon is
// loaded where a project is configured so; it is not installed with Sheaf.
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { SetupError } from '../errors.ts';
import type { S3Settings } from '../project/file-settings.ts';
import { errorCode, isObject } from '../type-guards.ts';
import type { FileStorage, StoredBytes, StoredObject } from './storage.ts';

type ClientModule = typeof import('@aws-sdk/client-s3');
type SignerModule = typeof import('@aws-sdk/s3-request-presigner');

/** `incoming`: a folder for files that are not stored yet. */
export async function openS3(settings: S3Settings, incoming: string): Promise<FileStorage> {
  const [client, signer] = await Promise.all([
    loaded('@aws-sdk/client-s3', () => import('@aws-sdk/client-s3')),
    loaded('@aws-sdk/s3-request-presigner', () => import('@aws-sdk/s3-request-presigner')),
  ]);
  return new S3Storage(settings, incoming, client, signer);
}

async function loaded<M>(name: string, load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new SetupError('Files are to be stored in S3, and its client is not installed', [
      `npm install @aws-sdk/client-s3 @aws-sdk/s3-request-presigner (${name} is missing)`,
    ]);
  }
}

/** Names in the database by which Strapi 5 finds its provider. */
const PROVIDER = 'aws-s3';
/** Names are unique for each content, until a file is replaced. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';
/** Types that are shown; browsers save all others, whatever origin the bucket has. */
const SHOWN = /^(?:image\/(?!svg)|video\/|audio\/|application\/pdf$|text\/plain$)/;

/** Types whose bytes are characters, of which browsers would otherwise guess the encoding. */
const TEXT = /^text\//;

class S3Storage implements FileStorage {
  readonly provider = PROVIDER;
  readonly isPrivate: boolean;
  readonly incoming: string;
  readonly #settings: S3Settings;
  readonly #modules: ClientModule;
  readonly #signer: SignerModule;
  readonly #client: S3Client;
  readonly #base: string;
  readonly #prefix: string;

  constructor(settings: S3Settings, incoming: string, modules: ClientModule, signer: SignerModule) {
    this.#settings = settings;
    this.incoming = incoming;
    this.isPrivate = settings.private;
    this.#modules = modules;
    this.#signer = signer;
    const { region, endpoint, pathStyle, accessKeyId, secretAccessKey, prefix } = settings;
    this.#client = new modules.S3Client({
      region,
      forcePathStyle: pathStyle,
      // Servers other than that of Amazon do not all know the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint !== null && { endpoint }),
      ...(accessKeyId !== null && secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
    });
    const folder = prefix.replace(/^\/+|\/+$/g, '');
    this.#prefix = folder === '' ? '' : `${folder}/`;
    this.#base = baseUrlOf(settings);
  }

  async put(key: string, file: string, mime: string): Promise<void> {
    const { PutObjectCommand } = this.#modules;
    const { size } = await stat(file);
    const { acl } = this.#settings;
    await this.#client.send(
      new PutObjectCommand({
        ...this.#at(key),
        Body: createReadStream(file),
        ContentLength: size,
        ContentType: TEXT.test(mime) ? `${mime}; charset=utf-8` : mime,
        CacheControl: CACHE_CONTROL,
        ...(!SHOWN.test(mime) && { ContentDisposition: 'attachment' }),
        ...(acl !== null && { ACL: acl as 'private' }),
      }),
    );
    await rm(file, { force: true });
  }

  async get(key: string): Promise<StoredBytes | null> {
    const { GetObjectCommand } = this.#modules;
    try {
      const { Body, ContentLength = 0 } = await this.#client.send(new GetObjectCommand(this.#at(key)));
      return Body ? { stream: Body as Readable, size: ContentLength } : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async sizeOf(key: string): Promise<number | null> {
    const { HeadObjectCommand } = this.#modules;
    try {
      return (await this.#client.send(new HeadObjectCommand(this.#at(key)))).ContentLength ?? 0;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async copyTo(key: string, file: string): Promise<boolean> {
    const found = await this.get(key);
    if (!found) return false;
    await pipeline(found.stream, createWriteStream(file));
    return true;
  }

  async delete(key: string): Promise<void> {
    const { DeleteObjectCommand } = this.#modules;
    await this.#client.send(new DeleteObjectCommand(this.#at(key)));
  }

  url(key: string): string {
    return `${this.#base}/${this.#prefix}${key}`;
  }

  keyOf(url: string): string | null {
    const beginning = this.url('');
    const key = url.startsWith(beginning) ? url.slice(beginning.length) : '';
    return key === '' || key.includes('/') || key.includes('?') ? null : key;
  }

  signedUrl(key: string): Promise<string> {
    const { GetObjectCommand } = this.#modules;
    const expiresIn = this.#settings.signedUrlSeconds;
    return this.#signer.getSignedUrl(this.#client, new GetObjectCommand(this.#at(key)), { expiresIn });
  }

  async *list(): AsyncIterable<StoredObject> {
    const { paginateListObjectsV2 } = this.#modules;
    const within = this.#prefix === '' ? {} : { Prefix: this.#prefix };
    const request = { Bucket: this.#settings.bucket, ...within };
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, request))
      for (const { Key = '', Size = 0, LastModified } of Contents) {
        const key = Key.slice(this.#prefix.length);
        if (key !== '' && !key.includes('/')) yield { key, size: Size, since: LastModified?.getTime() ?? 0 };
      }
  }

  close(): void {
    this.#client.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#settings.bucket, Key: `${this.#prefix}${key}` };
  }
}

/** What URLs of files begin with, as Strapi 5 writes them. */
function baseUrlOf({ baseUrl, endpoint, bucket, region, pathStyle }: S3Settings): string {
  if (baseUrl !== null) return baseUrl.replace(/\/+$/, '');
  const { protocol, host } = new URL(
    endpoint === null
      ? `https://s3.${region}.amazonaws.com`
      : /^https?:/.test(endpoint)
        ? endpoint
        : `https://${endpoint}`,
  );
  return pathStyle ? `${protocol}//${host}/${bucket}` : `${protocol}//${bucket}.${host}`;
}

const isMissing = (error: unknown): boolean =>
  isObject(error) && (error.name === 'NoSuchKey' || error.name === 'NotFound');
