// Requests that are expensive within the limits: each took seconds, or gigabytes, at some time.

const times = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join('&');
const group = (count: number, condition: (index: number) => string): string =>
  times(count, (index) => `filters[$or][${index}]${condition(index)}`);
const chain = (steps: number, end: string): string =>
  `${Array.from({ length: steps }, (_, index) => (index % 2 === 0 ? '[categories]' : '[restaurants]')).join('')}${end}`;
const sets = (steps: number, operator: string): string =>
  Array.from({ length: steps }, (_, index) => `[${index % 2 === 0 ? 'restaurants' : 'categories'}][${operator}]`).join(
    '',
  );
const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

export const HOSTILE: Readonly<Record<string, string>> = {
  'sort over 3 to-many steps': '/api/categories?sort=restaurants.categories.restaurants.name',
  'sort over 4 to-many steps': '/api/categories?sort=restaurants.categories.restaurants.categories.name',
  '10 sorts over 4 steps': `/api/restaurants?sort=${Array.from({ length: 10 }, (_, index) => `categories.restaurants.categories.restaurants.${['name', 'stars', 'rating', 'cuisine', 'slug', 'email', 'open', 'visits', 'createdAt', 'updatedAt'][index]}`).join(',')}`,
  '80 × $containsi beyond ASCII': `/api/restaurants?${group(80, (index) => `[name][$containsi]=%C3%A9${index}`)}`,
  '80 × $contains': `/api/restaurants?${group(80, (index) => `[name][$contains]=zz${index}`)}`,
  '80 × JSON $eq': `/api/restaurants?${group(80, (index) => `[meta][$eq]=${json({ seats: 1000 + index })}`)}`,
  '15 × 12 relations with $null': `/api/restaurants?${group(15, (index) => chain(12, `[name][$null]=${index % 2 === 0}`))}`,
  'populate with a two-hop sort':
    '/api/categories?populate[restaurants][sort]=categories.restaurants.name&pagination[pageSize]=100',
  '_q beyond ASCII': '/api/restaurants?_q=%C3%A9',
  '8 × $none in circles': `/api/categories?filters${sets(8, '$none')}[name][$ne]=x`,
  '8 × $every in circles': `/api/categories?filters${sets(8, '$every')}[name][$containsi]=%C3%A9`,
  '30 × $count': `/api/restaurants?${group(30, (index) => `[categories][$count][$gt]=${index}&filters[$or][${index}][categories][$count][where][name][$contains]=zz${index}`)}`,
  '12 × sets behind long paths': `/api/restaurants?${group(12, (index) => `[signatureDish][restaurant][categories][restaurants][chef][${index % 2 === 0 ? '$none' : '$some'}][apprentices][mentor][restaurants][$every][neighbours][updatedAt][$notNull]=${index % 3 === 0}`)}`,
  '45 × inside of JSON': `/api/restaurants?${group(45, (index) => `[meta][$at][seats][$gt]=${1000 + index}`)}`,
  '10 sorts by averages': `/api/categories?sort=${Array.from({ length: 10 }, (_, index) => `restaurants.${['averagePrice', 'rating', 'stars', 'visits', 'id'][index % 5]}.$avg${index % 2 === 0 ? '' : ':desc'}`).join(',')}`,
  'populate in circles':
    '/api/categories?populate[restaurants][populate][categories][populate][restaurants][fields]=name&pagination[pageSize]=100',
  'populate 4,000 entries': '/api/categories?populate=restaurants&pagination[pageSize]=15',
  'populate 12,000 entries': '/api/categories?populate=restaurants&pagination[pageSize]=40',
  'groups through 3 relations':
    '/api/dishes/aggregate?group=restaurant.categories.children.rank,restaurant.owner.restaurant.id,restaurant.chef.apprentices.bio&count=*&distinct=vegan&avg=price&sort=-count',
  'groups of a million': '/api/reviews/aggregate?group=restaurant.slug&count=*&min=id&sort=-count',
  '10 facets': `/api/dishes?facets=${['name', 'slug', 'email', 'stars', 'rating', 'cuisine', 'visits', 'openedOn.$week', 'neighbours.email', 'categories.parent.name'].map((name) => `restaurant.${name}`).join(',')}`,
  'populated pages, sorted by a set':
    '/api/restaurants?populate[neighbours][pagination][start]=2&populate[neighbours][pagination][limit]=5&populate[neighbours][pagination][withCount]=true&populate[neighbours][sort]=categories.restaurants.documentId.$max:desc&populate[neighbours][filters][dishes][$every][vegan]=false&pagination[pageSize]=100',
  'sort by a number of links':
    '/api/categories?sort=restaurants.$count:desc,parent.restaurants.open:desc&pagination[pageSize]=100',
  'sort over half a million rows': '/api/categories?sort=restaurants.dishes.restaurant.owner.name',
};
