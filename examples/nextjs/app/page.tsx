import Link from 'next/link';
import { sheaf } from '../lib/sheaf';

export default async function Restaurants() {
  const { data, meta } = await sheaf.restaurants.find({
    fields: ['name', 'stars'],
    populate: { chef: { fields: ['name'] } },
    filters: { open: true },
    sort: ['stars:desc', 'name'],
    facets: ['cuisine'],
  });
  return (
    <main>
      <h1>Restaurants</h1>
      <ul>
        {data.map(({ documentId, name, stars, chef }) => (
          <li key={documentId}>
            <Link href={`/restaurants/${documentId}`}>{name}</Link> {'★'.repeat(stars ?? 0)} {chef?.name}
          </li>
        ))}
      </ul>
      <p>{meta.facets?.cuisine?.map(({ value, count }) => `${value ?? 'other'}: ${count}`).join(', ')}</p>
    </main>
  );
}
