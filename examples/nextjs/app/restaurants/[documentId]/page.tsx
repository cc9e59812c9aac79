import { notFound } from 'next/navigation';
import { sheaf } from '../../../lib/sheaf';
import { ReviewForm } from './review-form';

export default async function Restaurant({ params }: { params: Promise<{ documentId: string }> }) {
  const { documentId } = await params;
  const restaurant = await sheaf.restaurants.findOne(documentId, {
    fields: ['name', 'description'],
    populate: { dishes: { fields: ['name', 'price'], sort: 'price' }, cover: true },
  });
  if (!restaurant) notFound();
  const reviews = await sheaf.reviews.find(
    { filters: { restaurant: { documentId } }, fields: ['score', 'comment'], sort: 'createdAt:desc' },
    { next: { tags: [`reviews-${documentId}`] } },
  );
  const { name, description, dishes, cover } = restaurant;
  return (
    <main>
      <h1>{name}</h1>
      {cover && <img src={sheaf.files.url(cover)} alt={cover.alternativeText ?? ''} width={cover.width ?? undefined} />}
      <p>{description}</p>
      <ul>
        {dishes.map((dish) => (
          <li key={dish.documentId}>
            {dish.name}: {dish.price?.toFixed(2)}
          </li>
        ))}
      </ul>
      <h2>Reviews</h2>
      <ul>
        {reviews.data.map((review) => (
          <li key={review.documentId}>
            {review.score}/5 {review.comment}
          </li>
        ))}
      </ul>
      <ReviewForm documentId={documentId} />
    </main>
  );
}
