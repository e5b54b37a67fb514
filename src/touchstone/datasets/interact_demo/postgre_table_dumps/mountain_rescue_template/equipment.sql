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
-- Name: equipment; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.equipment (
    item_id integer NOT NULL,
    base_id integer NOT NULL,
    category text NOT NULL,
    label text NOT NULL,
    bought_on date NOT NULL,
    price numeric(9,2) NOT NULL,
    retired_on date,
    checks jsonb NOT NULL
);


ALTER TABLE public.equipment OWNER TO root;

--
-- Name: equipment; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.equipment (item_id, base_id, category, label, bought_on, price, retired_on, checks) FROM stdin;
1	21	vehicle	4×4 pick-up	2014-01-10	5617.48	\N	[{"by": "Vreni Näf", "on": "2025-03-19", "passed": true}, {"by": "Mirjam Gämperle", "on": "2024-05-23", "passed": true}, {"by": "Yves Von Allmen", "on": "2023-06-12", "passed": true}, {"by": "Yves D'Angelo", "on": "2024-06-13", "passed": true}]
2	30	stretcher	akja sledge	2022-07-30	1901.99	\N	[]
3	14	radio	handheld "Pico"	2014-07-17	615.07	\N	[{"by": "Odile Egli", "on": "2024-10-03", "passed": true}, {"by": "Odile Théler", "on": "2023-08-12", "passed": true}]
4	2	vehicle	4×4 pick-up	2019-06-22	33458.00	\N	[{"by": "Kaspar Von Allmen", "on": "2024-03-14", "passed": false}, {"by": "Paul Näf", "on": "2023-05-06", "passed": false}, {"by": "Eva Théler", "on": "2024-02-15", "passed": true}]
5	32	rope	kernmantle 50 m	2017-11-14	464.09	\N	[{"by": "Edith Imboden", "on": "2024-06-14", "passed": false}, {"by": "Eva Näf", "on": "2025-01-18", "passed": true}, {"by": "Madlaina Caduff", "on": "2023-06-29", "passed": true}, {"by": "Céline Pfister", "on": "2023-11-13", "passed": false}]
6	8	radio	handheld "Pico"	2016-05-05	305.96	\N	[{"by": "Luca Abderhalden", "on": "2024-06-27", "passed": true}]
7	11	radio	repeater	2023-01-24	1318.40	\N	[]
8	21	avalanche	RECCO detector	2024-02-20	1416.77	\N	[{"by": "Paul Imboden", "on": "2024-04-24", "passed": true}]
9	3	stretcher	vacuum mattress	2019-01-24	1492.94	\N	[{"by": "Sandro Zgraggen", "on": "2024-08-07", "passed": true}, {"by": "Kaspar Kälin", "on": "2024-03-12", "passed": true}, {"by": "Lea Caduff", "on": "2023-09-28", "passed": true}, {"by": "Eva Rüegg", "on": "2024-05-23", "passed": true}]
10	16	rope	kernmantle 50 m	2022-09-13	219.45	\N	[]
11	15	vehicle	4×4 pick-up	2020-08-18	24582.36	\N	[{"by": "Tobias Pfister", "on": "2023-09-07", "passed": true}, {"by": "Jolanda Zgraggen", "on": "2024-06-24", "passed": false}]
12	27	vehicle	snowmobile	2016-04-23	23450.61	\N	[{"by": "Gian O'Neill", "on": "2024-02-27", "passed": false}]
13	31	stretcher	vacuum mattress	2019-08-19	235.45	\N	[{"by": "Edith D'Angelo", "on": "2023-04-21", "passed": true}, {"by": "Aline Jäggi", "on": "2024-05-06", "passed": true}]
14	25	rope	static rope 100 m	2020-01-14	267.95	\N	[]
15	3	radio	repeater	2017-10-16	1810.92	\N	[]
16	29	radio	base set	2022-01-18	717.38	\N	[{"by": "Sandro Jäggi", "on": "2023-05-31", "passed": true}, {"by": "Yves Egli", "on": "2024-10-16", "passed": true}]
17	34	vehicle	snowmobile	2024-01-17	12252.90	\N	[{"by": "Corsin Pfister", "on": "2025-03-19", "passed": true}]
18	21	radio	repeater	2023-08-15	175.33	\N	[{"by": "Sandro Favre", "on": "2023-10-23", "passed": false}, {"by": "Gian Jäggi", "on": "2024-12-01", "passed": false}]
19	33	vehicle	snowmobile	2014-04-03	5418.97	\N	[{"by": "Madlaina Rüegg", "on": "2023-11-24", "passed": true}]
20	36	rope	static rope 100 m	2023-04-22	1260.45	\N	[{"by": "Yves Jäggi", "on": "2024-03-08", "passed": true}]
21	35	avalanche	RECCO detector	2022-02-27	364.74	\N	[{"by": "Tobias Von Allmen", "on": "2024-12-20", "passed": true}]
22	22	rope	static rope 100 m	2014-04-13	1913.95	\N	[{"by": "Flurin Monnet", "on": "2025-04-10", "passed": true}]
23	17	radio	base set	2024-03-05	570.53	\N	[{"by": "Nino Näf", "on": "2025-03-23", "passed": true}]
24	9	rope	dynamic rope 60 m	2019-09-10	240.86	\N	[{"by": "Mirjam Abderhalden", "on": "2024-11-05", "passed": true}]
25	30	avalanche	probe set	2017-07-04	466.83	\N	[{"by": "Ursina Zgraggen", "on": "2024-02-04", "passed": false}, {"by": "Aline Pfister", "on": "2025-03-19", "passed": false}]
26	34	radio	handheld "Pico"	2023-11-09	190.34	\N	[{"by": "Dario Näf", "on": "2023-11-25", "passed": true}, {"by": "Vreni Abderhalden", "on": "2025-02-04", "passed": true}]
27	31	radio	handheld "Pico"	2022-01-09	272.05	\N	[{"by": "Paul Gämperle", "on": "2023-12-27", "passed": true}, {"by": "Regula Imboden", "on": "2023-07-08", "passed": true}]
28	35	rope	static rope 100 m	2024-02-16	1794.59	\N	[{"by": "Jérôme L'Eplattenier", "on": "2024-02-18", "passed": true}, {"by": "Gian Caduff", "on": "2024-02-24", "passed": true}, {"by": "Beat Kälin", "on": "2025-02-22", "passed": false}, {"by": "Nino Gämperle", "on": "2025-02-14", "passed": true}]
29	25	stretcher	akja sledge	2018-05-25	904.88	\N	[]
30	23	rope	static rope 100 m	2018-10-13	2263.14	2024-12-20	[{"by": "Aline D'Angelo", "on": "2024-08-12", "passed": true}, {"by": "Kaspar Kälin", "on": "2024-10-08", "passed": true}, {"by": "Corsin Kälin", "on": "2024-05-27", "passed": true}]
31	1	vehicle	quad	2020-07-08	8524.71	\N	[{"by": "Regula Egli", "on": "2023-10-24", "passed": false}, {"by": "Beat Caduff", "on": "2023-11-18", "passed": true}, {"by": "Ivo Salis", "on": "2023-04-15", "passed": true}]
32	24	vehicle	snowmobile	2018-07-03	26739.83	\N	[{"by": "Ivo Monnet", "on": "2025-01-24", "passed": true}]
33	5	rope	static rope 100 m	2022-07-11	2022.68	\N	[{"by": "Eva Kälin", "on": "2025-03-06", "passed": false}, {"by": "Lea Näf", "on": "2024-09-08", "passed": true}, {"by": "Anton Bürgi", "on": "2024-03-04", "passed": true}]
34	29	vehicle	quad	2023-09-20	34707.31	\N	[{"by": "Luca Zgraggen", "on": "2024-03-02", "passed": true}, {"by": "Eva Bürgi", "on": "2024-09-01", "passed": false}]
35	17	stretcher	akja sledge	2022-12-01	990.29	\N	[{"by": "Aline D'Angelo", "on": "2024-12-08", "passed": true}, {"by": "Séverine Kälin", "on": "2023-12-24", "passed": true}, {"by": "Gian D'Angelo", "on": "2023-10-24", "passed": true}]
36	17	vehicle	4×4 pick-up	2020-10-19	31228.86	2024-08-09	[{"by": "Odile Rüegg", "on": "2024-12-07", "passed": true}, {"by": "Jolanda L'Eplattenier", "on": "2024-12-03", "passed": true}, {"by": "Jolanda Favre", "on": "2025-02-09", "passed": true}]
37	11	rope	dynamic rope 60 m	2015-03-26	233.61	\N	[{"by": "Madlaina Pfister", "on": "2024-08-27", "passed": true}]
38	1	stretcher	vacuum mattress	2021-11-16	1588.13	\N	[]
39	14	avalanche	RECCO detector	2019-08-31	911.29	\N	[{"by": "Kaspar Théler", "on": "2024-02-01", "passed": true}, {"by": "Ursina Näf", "on": "2025-03-02", "passed": false}, {"by": "Ursina Rüegg", "on": "2024-03-15", "passed": true}]
40	29	avalanche	RECCO detector	2022-10-29	668.50	\N	[{"by": "Nino Von Allmen", "on": "2024-04-13", "passed": true}, {"by": "Aline Von Allmen", "on": "2023-09-27", "passed": true}]
41	27	avalanche	transceiver	2015-03-01	913.53	\N	[{"by": "Lea Caduff", "on": "2024-01-19", "passed": true}, {"by": "Regula O'Neill", "on": "2024-08-15", "passed": true}, {"by": "Aline Favre", "on": "2024-05-06", "passed": true}, {"by": "Ursina O'Neill", "on": "2023-05-08", "passed": true}]
42	14	vehicle	quad	2015-03-14	10318.58	2024-08-02	[{"by": "Jolanda Näf", "on": "2025-02-09", "passed": true}]
43	24	stretcher	vacuum mattress	2015-01-28	456.71	\N	[{"by": "Flurin Abderhalden", "on": "2024-05-27", "passed": true}]
44	9	stretcher	akja sledge	2019-08-09	388.49	\N	[{"by": "Paul Kälin", "on": "2023-06-02", "passed": false}]
45	15	vehicle	quad	2018-04-03	12855.10	\N	[]
46	36	vehicle	snowmobile	2020-08-13	21334.33	\N	[{"by": "Edith Caduff", "on": "2025-03-19", "passed": false}, {"by": "Yves Pfister", "on": "2024-03-25", "passed": false}]
47	7	stretcher	vacuum mattress	2018-12-21	1778.50	\N	[{"by": "Flurin Gämperle", "on": "2023-12-14", "passed": true}, {"by": "Odile Jäggi", "on": "2024-11-22", "passed": true}]
48	35	radio	handheld "Pico"	2023-02-21	366.63	\N	[{"by": "Jérôme Caduff", "on": "2023-12-03", "passed": true}]
49	36	vehicle	snowmobile	2020-10-24	18779.01	\N	[{"by": "Sandro Monnet", "on": "2024-01-03", "passed": true}]
50	36	vehicle	4×4 pick-up	2022-11-25	8122.40	\N	[{"by": "Mirjam Von Allmen", "on": "2024-06-18", "passed": true}, {"by": "Regula Egli", "on": "2023-05-18", "passed": true}]
51	16	rope	kernmantle 50 m	2023-02-20	860.44	\N	[{"by": "Céline Näf", "on": "2023-11-27", "passed": true}]
52	11	radio	handheld "Pico"	2023-06-23	2144.36	\N	[{"by": "Tobias L'Eplattenier", "on": "2023-09-17", "passed": false}]
53	30	vehicle	quad	2023-07-11	14322.83	\N	[{"by": "Luca Monnet", "on": "2024-04-21", "passed": true}]
54	29	stretcher	akja sledge	2020-06-07	235.08	\N	[{"by": "Jolanda Caduff", "on": "2025-01-12", "passed": true}]
55	24	stretcher	UT 2000	2017-02-16	153.16	\N	[{"by": "Tobias Kälin", "on": "2023-05-12", "passed": true}, {"by": "Tobias Jäggi", "on": "2023-08-27", "passed": true}, {"by": "Hanna Zgraggen", "on": "2024-11-11", "passed": true}, {"by": "Eva Pfister", "on": "2023-11-24", "passed": true}]
56	17	stretcher	vacuum mattress	2015-09-09	1449.32	2024-09-25	[{"by": "Nino Gämperle", "on": "2023-04-27", "passed": false}, {"by": "Paul O'Neill", "on": "2024-07-28", "passed": true}, {"by": "Nino Caduff", "on": "2024-09-03", "passed": true}]
57	16	vehicle	quad	2021-01-07	19999.23	\N	[{"by": "Ivo Von Allmen", "on": "2024-11-28", "passed": false}]
58	1	radio	handheld "Pico"	2019-04-25	958.86	\N	[{"by": "Lea Pfister", "on": "2024-04-10", "passed": true}, {"by": "Madlaina Salis", "on": "2023-12-15", "passed": true}, {"by": "Kaspar Imboden", "on": "2024-09-18", "passed": true}]
59	16	radio	handheld "Pico"	2020-01-16	208.94	\N	[{"by": "Séverine Gämperle", "on": "2023-06-24", "passed": true}, {"by": "Lea Pfister", "on": "2023-11-22", "passed": true}, {"by": "Aline Pfister", "on": "2024-11-06", "passed": true}]
60	22	radio	base set	2015-02-05	845.77	\N	[{"by": "Eva Egli", "on": "2024-06-26", "passed": false}]
61	11	vehicle	4×4 pick-up	2015-03-09	5904.21	\N	[]
62	9	vehicle	4×4 pick-up	2018-11-19	4335.24	\N	[{"by": "Beat Abderhalden", "on": "2024-05-03", "passed": false}]
63	17	stretcher	UT 2000	2022-04-17	191.33	\N	[{"by": "Madlaina Näf", "on": "2023-08-23", "passed": true}, {"by": "Edith Pfister", "on": "2023-12-07", "passed": true}, {"by": "Aline Caduff", "on": "2024-07-11", "passed": true}, {"by": "Corsin Favre", "on": "2024-08-15", "passed": false}]
64	22	avalanche	probe set	2018-12-26	1605.85	\N	[]
65	25	vehicle	snowmobile	2017-05-03	15845.04	\N	[]
66	28	avalanche	transceiver	2020-02-14	111.06	2024-10-26	[{"by": "Hanna Théler", "on": "2025-03-04", "passed": true}, {"by": "Regula Favre", "on": "2024-10-24", "passed": true}, {"by": "Gian Bürgi", "on": "2024-12-09", "passed": true}, {"by": "Hanna Caduff", "on": "2024-09-19", "passed": true}]
67	9	stretcher	UT 2000	2024-03-01	84.14	\N	[]
68	3	rope	kernmantle 50 m	2017-01-23	1213.02	2025-02-23	[{"by": "Gian Jäggi", "on": "2024-03-29", "passed": true}]
69	17	radio	base set	2014-05-15	305.46	\N	[]
70	4	stretcher	vacuum mattress	2022-06-08	61.06	\N	[{"by": "Vreni L'Eplattenier", "on": "2024-05-16", "passed": true}, {"by": "Eva Von Allmen", "on": "2024-11-27", "passed": true}, {"by": "Gian Näf", "on": "2025-04-11", "passed": true}]
71	28	rope	kernmantle 50 m	2024-04-04	824.64	\N	[{"by": "Paul Salis", "on": "2024-10-06", "passed": true}, {"by": "Nino Von Allmen", "on": "2025-02-14", "passed": true}]
72	15	rope	static rope 100 m	2018-06-21	258.65	\N	[{"by": "Mirjam Caduff", "on": "2025-02-27", "passed": false}]
73	24	radio	handheld "Pico"	2017-02-14	2287.35	\N	[{"by": "Anton Kälin", "on": "2023-05-08", "passed": true}, {"by": "Anton Kälin", "on": "2024-09-08", "passed": false}]
74	21	rope	static rope 100 m	2017-09-15	1675.30	\N	[{"by": "Corsin Imboden", "on": "2023-08-24", "passed": true}, {"by": "Vreni Gämperle", "on": "2024-04-12", "passed": true}]
75	9	stretcher	UT 2000	2017-06-17	1369.84	\N	[{"by": "Kaspar Imboden", "on": "2025-04-13", "passed": false}, {"by": "Kaspar Monnet", "on": "2023-07-24", "passed": true}, {"by": "Luca Monnet", "on": "2024-09-03", "passed": false}]
76	22	radio	handheld "Pico"	2022-01-09	84.90	2024-07-05	[{"by": "Eva Favre", "on": "2024-10-08", "passed": true}, {"by": "Sandro Jäggi", "on": "2024-02-12", "passed": true}, {"by": "Bruna Théler", "on": "2023-10-23", "passed": false}, {"by": "Eva O'Neill", "on": "2023-04-26", "passed": true}]
77	24	avalanche	RECCO detector	2024-04-04	304.01	2025-01-20	[{"by": "Ivo Von Allmen", "on": "2024-04-16", "passed": true}]
78	24	stretcher	UT 2000	2018-04-04	1333.67	\N	[{"by": "Odile Monnet", "on": "2023-12-20", "passed": true}, {"by": "Luca D'Angelo", "on": "2023-05-17", "passed": false}]
79	32	radio	handheld "Pico"	2016-10-24	1763.08	\N	[{"by": "Vreni Kälin", "on": "2024-01-27", "passed": true}, {"by": "Beat Kälin", "on": "2024-03-09", "passed": true}]
80	15	vehicle	quad	2021-03-21	34025.94	\N	[{"by": "Tobias D'Angelo", "on": "2024-04-17", "passed": true}, {"by": "Edith Kälin", "on": "2024-11-15", "passed": true}]
81	1	radio	repeater	2017-10-02	1139.05	\N	[{"by": "Tobias Zgraggen", "on": "2024-10-30", "passed": true}, {"by": "Beat Zgraggen", "on": "2024-08-26", "passed": true}]
82	27	radio	handheld "Pico"	2022-03-13	436.91	\N	[]
83	18	stretcher	akja sledge	2020-02-26	435.68	\N	[{"by": "Jérôme Von Allmen", "on": "2024-12-27", "passed": true}]
84	17	radio	base set	2018-03-29	527.63	\N	[{"by": "Kaspar Favre", "on": "2024-08-13", "passed": true}, {"by": "Yves D'Angelo", "on": "2024-05-18", "passed": false}, {"by": "Odile Zgraggen", "on": "2023-05-13", "passed": true}]
85	28	rope	kernmantle 50 m	2015-08-19	808.85	\N	[{"by": "Regula Caduff", "on": "2024-04-16", "passed": true}, {"by": "Eva Salis", "on": "2024-01-18", "passed": true}, {"by": "Aline Egli", "on": "2023-12-22", "passed": true}]
86	23	vehicle	snowmobile	2016-01-12	9765.25	2024-11-16	[{"by": "Eva Kälin", "on": "2024-01-30", "passed": false}, {"by": "Bruna L'Eplattenier", "on": "2025-03-27", "passed": true}, {"by": "Yves L'Eplattenier", "on": "2024-11-16", "passed": false}]
87	2	stretcher	vacuum mattress	2014-12-10	1179.79	\N	[{"by": "Bruna L'Eplattenier", "on": "2024-10-21", "passed": true}, {"by": "Jolanda Abderhalden", "on": "2025-04-16", "passed": true}, {"by": "Bruna O'Neill", "on": "2024-03-31", "passed": true}]
88	22	avalanche	transceiver	2016-01-31	326.56	\N	[{"by": "Ivo Egli", "on": "2024-01-20", "passed": true}]
89	22	stretcher	akja sledge	2016-03-22	671.93	\N	[{"by": "Sandro Rüegg", "on": "2023-07-10", "passed": true}]
90	8	rope	static rope 100 m	2018-09-27	126.88	\N	[{"by": "Corsin O'Neill", "on": "2024-06-17", "passed": true}]
91	14	vehicle	4×4 pick-up	2015-02-10	16686.98	2024-10-26	[{"by": "Mirjam L'Eplattenier", "on": "2023-07-19", "passed": true}, {"by": "Céline Monnet", "on": "2025-01-26", "passed": true}]
92	18	vehicle	snowmobile	2018-02-27	14443.45	\N	[{"by": "Yves Von Allmen", "on": "2023-11-24", "passed": true}]
93	34	vehicle	quad	2023-01-02	9366.34	2024-07-20	[{"by": "Bruna Zgraggen", "on": "2023-07-30", "passed": true}]
94	13	vehicle	quad	2023-05-17	28800.22	\N	[]
95	11	radio	base set	2020-05-19	319.02	\N	[]
96	11	stretcher	UT 2000	2015-11-06	140.40	\N	[{"by": "Beat Gämperle", "on": "2025-03-28", "passed": false}, {"by": "Corsin Bürgi", "on": "2024-03-21", "passed": true}, {"by": "Gian Jäggi", "on": "2023-09-12", "passed": true}]
97	6	rope	dynamic rope 60 m	2020-05-06	817.87	\N	[]
98	4	stretcher	akja sledge	2018-08-16	543.73	\N	[{"by": "Luca L'Eplattenier", "on": "2025-03-21", "passed": true}, {"by": "Hanna L'Eplattenier", "on": "2025-04-17", "passed": true}, {"by": "Gian Von Allmen", "on": "2025-02-09", "passed": false}, {"by": "Eva Abderhalden", "on": "2024-02-23", "passed": true}]
99	5	radio	repeater	2020-08-17	153.24	2025-01-31	[]
100	27	vehicle	snowmobile	2017-03-01	30714.27	\N	[{"by": "Dario Egli", "on": "2025-04-06", "passed": true}]
101	3	stretcher	UT 2000	2020-06-28	1325.28	\N	[{"by": "Séverine Bürgi", "on": "2023-09-06", "passed": false}]
102	15	stretcher	akja sledge	2016-07-18	1464.83	2024-08-02	[]
103	6	vehicle	4×4 pick-up	2015-11-24	23924.56	\N	[{"by": "Paul Bürgi", "on": "2023-05-13", "passed": true}]
104	15	vehicle	quad	2015-09-24	23723.65	\N	[{"by": "Ursina Kälin", "on": "2024-10-14", "passed": true}, {"by": "Regula Von Allmen", "on": "2024-05-11", "passed": false}]
105	25	avalanche	RECCO detector	2019-01-03	675.27	\N	[{"by": "Vreni L'Eplattenier", "on": "2023-04-04", "passed": true}, {"by": "Sandro Zgraggen", "on": "2024-07-11", "passed": true}]
106	24	avalanche	probe set	2015-02-26	812.08	2024-12-01	[{"by": "Ivo D'Angelo", "on": "2023-05-23", "passed": true}, {"by": "Odile Näf", "on": "2023-07-31", "passed": true}]
107	14	rope	kernmantle 50 m	2018-02-10	439.70	\N	[{"by": "Beat Abderhalden", "on": "2023-07-26", "passed": true}, {"by": "Sandro Egli", "on": "2023-04-17", "passed": false}, {"by": "Anton Rüegg", "on": "2023-07-08", "passed": true}, {"by": "Beat Näf", "on": "2023-06-24", "passed": false}]
108	36	rope	kernmantle 50 m	2024-05-12	75.87	\N	[]
109	34	radio	base set	2016-03-30	329.87	\N	[]
110	1	rope	kernmantle 50 m	2020-08-17	1810.46	\N	[{"by": "Dario Gämperle", "on": "2023-11-13", "passed": true}, {"by": "Hanna Imboden", "on": "2024-04-22", "passed": true}, {"by": "Odile Zgraggen", "on": "2024-08-06", "passed": true}]
\.


--
-- Name: equipment equipment_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.equipment
    ADD CONSTRAINT equipment_pkey PRIMARY KEY (item_id);


--
-- Name: equipment equipment_base_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.equipment
    ADD CONSTRAINT equipment_base_id_fkey FOREIGN KEY (base_id) REFERENCES public.bases(base_id);


--
-- PostgreSQL database dump complete
--
