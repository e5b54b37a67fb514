--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: shipments; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.shipments (
    shipment_id integer NOT NULL,
    institute text NOT NULL,
    country text NOT NULL,
    purpose text NOT NULL,
    urgent boolean NOT NULL,
    requested_on date NOT NULL,
    shipped_on date
);


ALTER TABLE public.shipments OWNER TO root;

--
-- Name: shipments_shipment_id_seq; Type: SEQUENCE; Schema: public; Owner: root
--

CREATE SEQUENCE public.shipments_shipment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.shipments_shipment_id_seq OWNER TO root;

--
-- Name: shipments_shipment_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: root
--

ALTER SEQUENCE public.shipments_shipment_id_seq OWNED BY public.shipments.shipment_id;


--
-- Name: shipments shipment_id; Type: DEFAULT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.shipments ALTER COLUMN shipment_id SET DEFAULT nextval('public.shipments_shipment_id_seq'::regclass);


--
-- Name: shipments; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.shipments (shipment_id, institute, country, purpose, urgent, requested_on, shipped_on) FROM stdin;
1	Grădina Carpați	Romania	research	f	2022-01-02	2022-01-13
2	Giardino dell'Orto	Italy	research	f	2022-01-05	2022-02-21
3	Anadolu Tohum Evi	Türkiye	breeding	f	2022-01-05	2022-01-23
4	Institut des Prés Hauts	France	breeding	t	2022-01-15	2022-01-24
5	Institut des Prés Hauts	France	breeding	f	2022-01-28	2022-02-04
6	St Kevin's Field Station	Ireland	restoration	t	2022-01-30	2022-02-03
7	Landbrukets Frøsenter	Norway	breeding	f	2022-02-01	\N
8	Banco "El Grano"	Spain	research	t	2022-02-04	2022-02-21
9	Institut des Prés Hauts	France	breeding	f	2022-03-11	2022-05-24
10	Banco "El Grano"	Spain	breeding	f	2022-03-25	2022-05-14
11	Estación Las Cañas	Spain	breeding	t	2022-04-08	2022-04-21
12	Banco "El Grano"	Spain	restoration	f	2022-04-08	\N
13	Estación Las Cañas	Spain	restoration	f	2022-04-10	2022-05-21
14	Botanični Vrt Soča	Slovenia	breeding	t	2022-05-10	2022-05-27
15	Institut des Prés Hauts	France	restoration	t	2022-05-22	2022-06-07
16	Botanični Vrt Soča	Slovenia	research	f	2022-06-02	2022-07-17
17	Estación Las Cañas	Spain	education	t	2022-06-28	2022-07-18
18	Botanični Vrt Soča	Slovenia	education	f	2022-07-13	2022-08-30
19	Estación Las Cañas	Spain	restoration	t	2022-07-16	\N
20	Fjellhagen	Norway	restoration	f	2022-07-19	2022-08-13
21	Grădina Carpați	Romania	breeding	f	2022-07-19	2022-09-15
22	Fjellhagen	Norway	restoration	t	2022-07-31	2022-08-02
23	Institut des Prés Hauts	France	research	f	2022-08-10	2022-09-25
24	Banco "El Grano"	Spain	restoration	t	2022-09-04	2022-09-10
25	Estación Las Cañas	Spain	research	t	2022-09-07	2022-09-09
26	Estación Las Cañas	Spain	research	f	2022-09-17	2022-11-26
27	Botanični Vrt Soča	Slovenia	research	f	2022-09-18	2022-11-27
28	Landbrukets Frøsenter	Norway	research	f	2022-09-19	2022-11-26
29	Fjellhagen	Norway	research	f	2022-10-01	2022-11-06
30	Grădina Carpați	Romania	breeding	f	2022-10-04	2022-11-24
31	Landbrukets Frøsenter	Norway	breeding	f	2022-10-06	2022-11-13
32	Landbrukets Frøsenter	Norway	breeding	t	2022-10-09	2022-10-28
33	Estación Las Cañas	Spain	research	t	2022-10-17	2022-10-30
34	Estación Las Cañas	Spain	restoration	t	2022-10-20	2022-10-23
35	Anadolu Tohum Evi	Türkiye	restoration	t	2022-10-26	\N
36	Jardin d'Essais de Brest	France	education	f	2022-10-28	2023-01-07
37	Fjellhagen	Norway	restoration	t	2022-11-18	2022-11-20
38	Anadolu Tohum Evi	Türkiye	restoration	f	2022-12-02	2023-02-04
39	Fjellhagen	Norway	breeding	t	2022-12-15	2022-12-29
40	St Kevin's Field Station	Ireland	restoration	t	2022-12-18	2023-01-04
41	St Kevin's Field Station	Ireland	research	f	2022-12-21	\N
42	Landbrukets Frøsenter	Norway	breeding	t	2022-12-23	2022-12-30
43	Fjellhagen	Norway	restoration	f	2023-01-07	2023-01-23
44	Grădina Carpați	Romania	breeding	f	2023-01-15	2023-03-04
45	St Kevin's Field Station	Ireland	restoration	f	2023-01-16	2023-02-04
46	Estación Las Cañas	Spain	restoration	f	2023-01-18	2023-03-13
47	Botanični Vrt Soča	Slovenia	research	f	2023-02-03	2023-02-27
48	Botanični Vrt Soča	Slovenia	restoration	f	2023-02-05	2023-03-30
49	St Kevin's Field Station	Ireland	breeding	f	2023-02-18	2023-04-02
50	Grădina Carpați	Romania	research	t	2023-03-01	2023-03-03
51	Grădina Carpați	Romania	research	f	2023-03-19	2023-05-19
52	Institut des Prés Hauts	France	research	t	2023-03-26	2023-04-09
53	Jardin d'Essais de Brest	France	research	f	2023-03-28	2023-06-08
54	Banco "El Grano"	Spain	restoration	f	2023-03-30	2023-04-21
55	Jardin d'Essais de Brest	France	breeding	f	2023-04-01	2023-06-06
56	Jardin d'Essais de Brest	France	restoration	t	2023-04-21	2023-04-28
57	Banco "El Grano"	Spain	research	t	2023-04-24	2023-04-30
58	Jardin d'Essais de Brest	France	restoration	t	2023-05-04	2023-05-10
59	Botanični Vrt Soča	Slovenia	restoration	f	2023-05-06	2023-06-08
60	Institut des Prés Hauts	France	research	f	2023-05-10	2023-07-22
61	Landbrukets Frøsenter	Norway	restoration	f	2023-05-14	2023-07-28
62	Estación Las Cañas	Spain	research	f	2023-05-16	\N
63	St Kevin's Field Station	Ireland	research	t	2023-05-26	2023-06-03
64	St Kevin's Field Station	Ireland	research	t	2023-05-29	2023-06-03
65	Giardino dell'Orto	Italy	research	f	2023-05-31	2023-07-25
66	Estación Las Cañas	Spain	breeding	t	2023-06-03	2023-06-20
67	Institut des Prés Hauts	France	research	t	2023-06-11	2023-07-01
68	Jardin d'Essais de Brest	France	research	f	2023-06-20	2023-07-01
69	St Kevin's Field Station	Ireland	breeding	f	2023-07-02	2023-07-10
70	Botanični Vrt Soča	Slovenia	research	t	2023-07-04	2023-07-06
71	Banco "El Grano"	Spain	research	t	2023-07-08	2023-07-26
72	Fjellhagen	Norway	research	t	2023-07-18	2023-07-24
73	Grădina Carpați	Romania	restoration	t	2023-07-19	2023-08-05
74	Landbrukets Frøsenter	Norway	breeding	t	2023-08-07	2023-08-23
75	Giardino dell'Orto	Italy	breeding	t	2023-08-31	2023-09-05
76	Giardino dell'Orto	Italy	restoration	t	2023-10-19	2023-11-07
77	Botanični Vrt Soča	Slovenia	restoration	t	2023-10-21	\N
78	Banco "El Grano"	Spain	research	t	2023-11-28	\N
79	Botanični Vrt Soča	Slovenia	research	t	2023-11-29	2023-12-10
80	Landbrukets Frøsenter	Norway	restoration	t	2023-12-12	2023-12-21
81	St Kevin's Field Station	Ireland	restoration	f	2023-12-20	2024-02-26
82	St Kevin's Field Station	Ireland	restoration	f	2023-12-27	2024-02-08
83	Anadolu Tohum Evi	Türkiye	restoration	f	2023-12-28	2024-01-01
84	Giardino dell'Orto	Italy	restoration	t	2024-01-03	2024-01-09
85	Institut des Prés Hauts	France	research	f	2024-01-16	2024-01-20
86	Institut des Prés Hauts	France	breeding	f	2024-01-21	2024-03-12
87	St Kevin's Field Station	Ireland	research	f	2024-02-06	2024-04-16
88	St Kevin's Field Station	Ireland	breeding	f	2024-02-07	2024-03-23
89	Giardino dell'Orto	Italy	research	t	2024-02-11	2024-02-29
90	Banco "El Grano"	Spain	education	t	2024-02-22	2024-03-08
91	St Kevin's Field Station	Ireland	restoration	t	2024-02-28	\N
92	Institut des Prés Hauts	France	breeding	f	2024-03-01	2024-04-21
93	Anadolu Tohum Evi	Türkiye	research	t	2024-03-15	2024-03-20
94	Landbrukets Frøsenter	Norway	restoration	t	2024-03-24	2024-04-05
95	Giardino dell'Orto	Italy	restoration	t	2024-03-26	2024-04-12
96	Estación Las Cañas	Spain	breeding	t	2024-03-29	2024-04-05
97	Grădina Carpați	Romania	restoration	t	2024-04-14	2024-04-17
98	Banco "El Grano"	Spain	research	f	2024-04-19	2024-05-03
99	Estación Las Cañas	Spain	research	f	2024-04-20	2024-04-25
100	Fjellhagen	Norway	breeding	f	2024-04-29	2024-06-08
101	Estación Las Cañas	Spain	breeding	f	2024-05-15	2024-07-22
102	St Kevin's Field Station	Ireland	breeding	f	2024-05-21	2024-07-20
103	Botanični Vrt Soča	Slovenia	restoration	t	2024-05-28	\N
104	Landbrukets Frøsenter	Norway	restoration	f	2024-06-10	\N
105	Institut des Prés Hauts	France	research	t	2024-06-17	2024-06-20
106	Estación Las Cañas	Spain	research	f	2024-06-17	2024-08-10
107	Anadolu Tohum Evi	Türkiye	breeding	t	2024-06-19	2024-07-06
108	Giardino dell'Orto	Italy	research	f	2024-06-21	2024-07-06
109	Fjellhagen	Norway	research	f	2024-06-21	2024-08-27
110	Giardino dell'Orto	Italy	education	f	2024-07-02	2024-07-31
111	Banco "El Grano"	Spain	research	f	2024-07-02	2024-08-12
112	St Kevin's Field Station	Ireland	research	f	2024-07-04	2024-09-11
113	Institut des Prés Hauts	France	research	f	2024-07-15	2024-08-26
114	Jardin d'Essais de Brest	France	breeding	t	2024-07-21	2024-08-10
115	Institut des Prés Hauts	France	research	f	2024-07-22	2024-07-26
116	Botanični Vrt Soča	Slovenia	breeding	f	2024-08-07	2024-08-10
117	Giardino dell'Orto	Italy	education	f	2024-08-18	2024-09-23
118	St Kevin's Field Station	Ireland	research	f	2024-08-20	2024-10-26
119	Jardin d'Essais de Brest	France	restoration	t	2024-08-27	2024-09-03
120	Banco "El Grano"	Spain	research	t	2024-09-06	\N
121	Grădina Carpați	Romania	research	f	2024-09-22	2024-10-08
122	Anadolu Tohum Evi	Türkiye	breeding	f	2024-09-27	2024-10-26
123	Landbrukets Frøsenter	Norway	research	t	2024-10-04	2024-10-08
124	Institut des Prés Hauts	France	breeding	t	2024-10-10	2024-10-30
125	Estación Las Cañas	Spain	education	f	2024-10-17	\N
126	Grădina Carpați	Romania	research	t	2024-10-24	2024-11-07
127	Giardino dell'Orto	Italy	breeding	f	2024-10-27	\N
128	Grădina Carpați	Romania	research	t	2024-11-18	\N
129	Giardino dell'Orto	Italy	education	f	2024-11-24	\N
130	Giardino dell'Orto	Italy	research	f	2025-01-02	2025-01-13
131	Landbrukets Frøsenter	Norway	research	f	2025-01-06	2025-01-20
132	Banco "El Grano"	Spain	breeding	t	2025-01-26	2025-01-31
133	Anadolu Tohum Evi	Türkiye	restoration	f	2025-02-27	2025-04-14
134	Anadolu Tohum Evi	Türkiye	restoration	f	2025-02-28	2025-03-17
135	Banco "El Grano"	Spain	research	t	2025-03-06	2025-03-17
136	Institut des Prés Hauts	France	breeding	f	2025-03-07	2025-04-25
137	Jardin d'Essais de Brest	France	research	f	2025-03-13	2025-04-17
138	Institut des Prés Hauts	France	research	f	2025-03-18	2025-05-17
139	Landbrukets Frøsenter	Norway	restoration	t	2025-03-22	2025-04-10
140	Jardin d'Essais de Brest	France	restoration	t	2025-03-24	\N
\.


--
-- Name: shipments_shipment_id_seq; Type: SEQUENCE SET; Schema: public; Owner: root
--

SELECT pg_catalog.setval('public.shipments_shipment_id_seq', 140, true);


--
-- Name: shipments shipments_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.shipments
    ADD CONSTRAINT shipments_pkey PRIMARY KEY (shipment_id);


--
-- PostgreSQL database dump complete
--
