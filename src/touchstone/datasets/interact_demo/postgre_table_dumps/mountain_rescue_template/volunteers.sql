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
-- Name: volunteers; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.volunteers (
    volunteer_id integer NOT NULL,
    base_id integer NOT NULL,
    full_name text NOT NULL,
    grade text NOT NULL,
    joined_on date NOT NULL,
    left_on date,
    skills text[],
    fitness numeric(4,1)
);


ALTER TABLE public.volunteers OWNER TO root;

--
-- Name: volunteers_volunteer_id_seq; Type: SEQUENCE; Schema: public; Owner: root
--

CREATE SEQUENCE public.volunteers_volunteer_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.volunteers_volunteer_id_seq OWNER TO root;

--
-- Name: volunteers_volunteer_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: root
--

ALTER SEQUENCE public.volunteers_volunteer_id_seq OWNED BY public.volunteers.volunteer_id;


--
-- Name: volunteers volunteer_id; Type: DEFAULT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.volunteers ALTER COLUMN volunteer_id SET DEFAULT nextval('public.volunteers_volunteer_id_seq'::regclass);


--
-- Name: volunteers; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.volunteers (volunteer_id, base_id, full_name, grade, joined_on, left_on, skills, fitness) FROM stdin;
1	14	Edith D'Angelo	rescuer	2005-10-24	\N	{rope}	40.3
2	13	Jolanda Gämperle	rescuer	2022-08-18	\N	\N	\N
3	12	Odile Kälin	rescuer	2012-08-25	\N	{"cave, flooded"}	\N
4	24	Vreni Näf	trainee	2020-12-05	\N	{}	41.3
5	27	Corsin Rüegg	leader	2004-12-09	\N	{"cave, flooded"}	61.3
6	33	Ivo Von Allmen	leader	2023-04-05	\N	{}	45.0
7	16	Mirjam Bürgi	trainee	2022-09-29	\N	{medic,snowmobile}	45.5
8	9	Tobias Egli	rescuer	2006-03-01	\N	{transceiver,medic,snowmobile,drone}	75.1
9	12	Bruna Imboden	leader	2021-12-06	\N	{}	55.4
10	6	Gian L'Eplattenier	trainee	2006-10-01	\N	{rope,transceiver,medic,drone}	78.4
11	10	Luca O'Neill	trainee	2022-08-25	\N	{rope,drone}	62.8
12	9	Sandro Salis	rescuer	2005-08-23	\N	{drone}	\N
13	10	Anton Zgraggen	trainee	2012-08-28	\N	{rope,snowmobile,"cave, flooded"}	82.1
14	6	Eva Caduff	leader	2006-05-26	\N	{"dog handling",medic,snowmobile,drone}	43.0
15	29	Kaspar Favre	trainee	2014-12-31	2025-01-26	{"dog handling",snowmobile,drone,"cave, flooded"}	73.9
16	13	Paul Jäggi	rescuer	2008-12-29	\N	{rope}	\N
17	18	Yves Monnet	rescuer	2013-10-07	\N	{transceiver,medic,snowmobile,"cave, flooded"}	63.6
18	14	Dario Pfister	rescuer	2023-02-14	2023-09-30	{"dog handling",medic}	54.7
19	1	Jérôme Théler	trainee	2014-06-04	\N	{transceiver,snowmobile,"cave, flooded"}	46.8
20	12	Nino Abderhalden	rescuer	2009-06-17	2015-08-01	{medic}	62.9
21	15	Ursina D'Angelo	leader	2017-02-12	2025-04-14	{"dog handling",snowmobile,drone}	47.5
22	4	Céline Gämperle	rescuer	2018-08-19	\N	{}	60.3
23	8	Hanna Kälin	trainee	2019-07-30	2021-03-10	{"dog handling",snowmobile}	76.7
24	23	Madlaina Näf	rescuer	2007-07-19	2012-02-09	{rope,transceiver,"dog handling",drone}	62.8
25	12	Séverine Rüegg	trainee	2011-09-30	2023-08-06	{drone}	83.0
26	27	Beat Von Allmen	rescuer	2017-08-24	2022-04-24	{transceiver,medic,"cave, flooded"}	50.3
27	17	Flurin Bürgi	leader	2019-10-13	\N	{rope,drone}	40.9
28	11	Lea Egli	rescuer	2012-02-14	2020-05-11	{medic}	81.4
29	18	Regula Imboden	rescuer	2005-11-28	\N	{medic,drone,"cave, flooded"}	55.8
30	3	Aline L'Eplattenier	rescuer	2009-03-26	\N	{}	62.6
31	24	Edith O'Neill	trainee	2009-03-11	\N	{rope,drone}	49.2
32	4	Jolanda Salis	trainee	2017-04-27	\N	{rope,transceiver,"dog handling","cave, flooded"}	71.6
33	22	Odile Zgraggen	rescuer	2024-06-19	\N	{}	42.7
34	6	Vreni Caduff	trainee	2016-01-21	2020-06-29	{rope,snowmobile}	74.2
35	34	Corsin Favre	rescuer	2019-12-21	\N	{medic}	48.4
36	5	Ivo Jäggi	rescuer	2013-06-06	2019-07-26	{snowmobile}	65.6
37	9	Mirjam Monnet	leader	2011-01-09	\N	{drone}	54.6
38	9	Tobias Pfister	rescuer	2014-03-03	2015-11-30	\N	66.6
39	6	Bruna Théler	rescuer	2015-05-22	\N	{transceiver,"dog handling",snowmobile}	68.1
40	4	Gian Abderhalden	rescuer	2024-01-11	\N	{"cave, flooded"}	65.2
41	14	Luca D'Angelo	leader	2017-03-21	\N	{transceiver,medic,"cave, flooded"}	57.7
42	18	Sandro Gämperle	trainee	2007-02-22	\N	{rope,snowmobile}	46.8
43	5	Anton Kälin	leader	2025-01-24	\N	{rope,medic}	53.4
44	18	Eva Näf	trainee	2021-12-02	\N	{rope,medic,snowmobile}	69.4
45	4	Kaspar Rüegg	rescuer	2014-11-28	\N	{}	49.7
46	13	Paul Von Allmen	trainee	2025-01-13	2025-05-04	{"dog handling",drone}	\N
47	1	Yves Bürgi	rescuer	2015-01-31	\N	\N	47.6
48	33	Dario Egli	rescuer	2011-10-05	\N	\N	40.6
49	8	Jérôme Imboden	rescuer	2006-03-27	\N	{transceiver,snowmobile,drone}	43.6
50	15	Nino L'Eplattenier	rescuer	2024-04-02	\N	\N	44.7
51	5	Ursina O'Neill	rescuer	2022-10-04	\N	{}	\N
52	21	Céline Salis	rescuer	2007-07-02	\N	{rope,"cave, flooded"}	58.4
53	13	Hanna Zgraggen	trainee	2020-08-24	\N	{}	51.2
54	8	Madlaina Caduff	rescuer	2008-03-28	\N	{}	41.4
55	29	Séverine Favre	leader	2010-09-16	\N	{"dog handling",medic}	64.0
56	15	Beat Jäggi	leader	2013-08-20	\N	{transceiver,"dog handling",medic}	76.6
57	4	Flurin Monnet	trainee	2008-11-20	\N	{transceiver,medic,snowmobile}	40.8
58	14	Lea Pfister	rescuer	2019-01-28	\N	{drone}	69.8
59	3	Regula Théler	trainee	2010-04-16	\N	{transceiver,"dog handling",drone,"cave, flooded"}	\N
60	3	Aline Zgraggen	rescuer	2007-04-18	\N	{transceiver,snowmobile}	61.8
61	11	Edith Caduff	trainee	2004-03-27	\N	{transceiver,drone}	48.6
62	29	Jolanda Favre	trainee	2009-11-27	\N	{snowmobile,drone,"cave, flooded"}	52.1
63	8	Odile Jäggi	trainee	2023-02-23	\N	\N	94.1
64	6	Vreni Monnet	leader	2005-08-21	\N	\N	\N
65	32	Corsin Pfister	rescuer	2008-11-28	\N	{rope,transceiver,drone}	44.7
66	11	Ivo Théler	rescuer	2005-04-22	\N	{rope,transceiver,medic,snowmobile,"cave, flooded"}	51.1
67	19	Mirjam Abderhalden	trainee	2021-10-14	\N	{rope,drone,"cave, flooded"}	40.8
68	11	Tobias D'Angelo	rescuer	2007-11-26	2012-07-11	{transceiver,"dog handling","cave, flooded"}	67.0
69	3	Bruna Gämperle	rescuer	2007-10-24	\N	{rope,medic,drone}	60.3
70	5	Gian Kälin	trainee	2006-08-06	2007-03-02	{medic,snowmobile}	59.2
71	3	Luca Näf	rescuer	2011-11-11	\N	{snowmobile,drone}	71.3
72	1	Sandro Rüegg	trainee	2004-05-20	\N	{rope,drone,"cave, flooded"}	60.6
73	29	Anton Von Allmen	trainee	2010-08-19	\N	{rope}	69.2
74	16	Eva Bürgi	trainee	2009-07-06	\N	{rope,"dog handling",snowmobile,"cave, flooded"}	85.2
75	10	Kaspar Egli	leader	2008-07-19	\N	{}	64.5
76	9	Paul Imboden	trainee	2020-03-12	\N	{"dog handling",medic,drone}	55.1
77	16	Yves L'Eplattenier	leader	2009-02-01	\N	{rope,"dog handling",medic,snowmobile}	77.1
78	33	Dario O'Neill	leader	2016-01-14	\N	{transceiver,"dog handling",medic,"cave, flooded"}	77.6
79	4	Jérôme Salis	trainee	2010-02-17	\N	{rope,transceiver,medic,snowmobile}	59.6
80	36	Nino Zgraggen	rescuer	2006-02-20	\N	{rope,transceiver,medic,snowmobile,drone}	50.3
81	5	Ursina Caduff	rescuer	2023-12-14	\N	{rope,medic,snowmobile,drone}	40.9
82	3	Céline Favre	trainee	2014-06-18	\N	{rope,"dog handling",snowmobile}	56.5
83	15	Hanna Jäggi	rescuer	2017-10-26	2021-10-22	\N	63.2
84	9	Madlaina Monnet	trainee	2006-06-02	\N	{"cave, flooded"}	61.0
85	8	Séverine Pfister	trainee	2024-04-12	\N	{}	43.4
86	23	Beat Théler	trainee	2014-02-17	2014-05-22	{transceiver,medic,drone}	56.1
87	18	Flurin Abderhalden	leader	2010-11-13	2023-06-04	{}	44.2
88	12	Lea D'Angelo	rescuer	2023-06-19	2023-10-19	{rope,medic,drone}	44.5
89	28	Regula Gämperle	rescuer	2013-05-29	2022-01-27	{transceiver,medic,"cave, flooded"}	81.6
90	14	Aline Kälin	rescuer	2016-01-02	\N	{rope,medic}	40.2
91	15	Edith Näf	rescuer	2004-10-16	\N	{rope,snowmobile,drone}	67.3
92	26	Jolanda Rüegg	trainee	2011-02-05	\N	{medic,snowmobile,drone,"cave, flooded"}	68.1
93	10	Odile Von Allmen	rescuer	2018-07-10	\N	{rope,transceiver,"cave, flooded"}	55.9
94	10	Vreni Bürgi	rescuer	2012-12-04	\N	\N	60.3
95	12	Corsin Egli	rescuer	2021-02-11	\N	{}	49.2
96	29	Ivo Imboden	rescuer	2013-01-04	\N	{transceiver,"dog handling","cave, flooded"}	69.6
97	18	Mirjam L'Eplattenier	trainee	2019-03-08	\N	{rope,"dog handling",medic}	56.5
98	15	Tobias O'Neill	trainee	2022-07-01	\N	{transceiver,medic,"cave, flooded"}	47.8
99	10	Bruna Salis	rescuer	2021-01-26	\N	{rope,"dog handling",snowmobile,drone,"cave, flooded"}	51.9
100	33	Gian Zgraggen	trainee	2005-02-20	\N	{transceiver,"dog handling",snowmobile}	\N
101	6	Luca Caduff	leader	2007-08-05	\N	{transceiver,"dog handling"}	43.1
102	8	Sandro Favre	rescuer	2018-11-16	\N	{rope,snowmobile}	65.3
103	13	Anton Jäggi	rescuer	2015-11-22	\N	{snowmobile}	43.2
104	4	Eva Monnet	rescuer	2020-03-20	\N	{transceiver,medic,snowmobile}	81.6
105	4	Kaspar Pfister	trainee	2014-11-01	\N	{"dog handling",medic,drone,"cave, flooded"}	65.0
106	4	Paul Théler	trainee	2014-08-04	\N	{transceiver}	75.3
107	12	Yves Abderhalden	rescuer	2004-10-19	\N	{"dog handling",snowmobile}	64.5
108	6	Dario D'Angelo	rescuer	2011-02-03	\N	\N	70.7
109	11	Jérôme Gämperle	trainee	2020-09-24	2025-05-20	{rope,transceiver,"dog handling",medic}	58.5
110	4	Nino Kälin	rescuer	2007-11-26	\N	{snowmobile}	47.7
111	13	Ursina Näf	trainee	2014-03-22	\N	{medic,snowmobile}	50.8
112	12	Céline Rüegg	trainee	2012-09-17	\N	{rope,"dog handling",medic}	71.3
113	25	Hanna Von Allmen	rescuer	2021-03-10	\N	{}	43.0
114	29	Madlaina Bürgi	rescuer	2022-11-30	2023-07-08	{}	76.7
115	20	Séverine Egli	trainee	2005-01-01	\N	{"dog handling",medic}	90.1
116	6	Beat Imboden	rescuer	2021-05-04	\N	{rope,drone,"cave, flooded"}	73.0
117	1	Flurin L'Eplattenier	rescuer	2004-09-29	\N	{snowmobile}	42.5
118	29	Lea O'Neill	trainee	2015-12-05	\N	{transceiver,"dog handling",medic,drone}	\N
119	20	Regula Salis	trainee	2016-07-17	2025-01-08	{}	60.9
120	28	Aline Von Allmen	trainee	2013-08-04	\N	{"dog handling",drone,"cave, flooded"}	46.2
121	10	Edith Bürgi	trainee	2024-08-02	\N	{}	79.6
122	12	Jolanda Egli	leader	2015-08-29	\N	{rope,"dog handling",snowmobile}	52.0
123	7	Odile Imboden	trainee	2015-08-13	\N	{}	62.6
124	14	Vreni L'Eplattenier	trainee	2020-11-26	\N	{rope,snowmobile}	\N
125	1	Corsin O'Neill	rescuer	2011-04-14	\N	\N	76.8
126	23	Ivo Salis	rescuer	2015-07-11	\N	{"dog handling",medic,drone,"cave, flooded"}	41.7
127	18	Mirjam Zgraggen	trainee	2020-10-31	\N	{rope,"dog handling",snowmobile,"cave, flooded"}	58.7
128	8	Tobias Caduff	rescuer	2018-08-05	\N	{"cave, flooded"}	65.3
129	26	Bruna Favre	trainee	2008-11-19	\N	{}	66.8
130	21	Gian Jäggi	leader	2012-02-05	\N	{transceiver,"cave, flooded"}	90.1
131	10	Luca Monnet	rescuer	2022-09-17	2023-09-14	{rope,medic,snowmobile,drone}	54.8
132	17	Sandro Pfister	rescuer	2023-07-26	\N	{}	44.2
133	29	Anton Théler	rescuer	2019-01-11	\N	{}	87.2
134	19	Eva Abderhalden	rescuer	2006-09-15	\N	{rope,"dog handling"}	54.5
135	6	Kaspar D'Angelo	trainee	2013-09-24	\N	{"dog handling",medic,snowmobile,drone}	68.7
136	20	Paul Gämperle	rescuer	2022-03-08	\N	{}	54.2
137	4	Yves Kälin	rescuer	2021-04-25	2021-08-12	{transceiver}	43.8
138	31	Dario Näf	leader	2014-04-27	\N	{drone}	\N
139	6	Jérôme Rüegg	rescuer	2019-10-02	2021-01-06	{drone}	70.5
140	29	Nino Von Allmen	leader	2013-12-03	\N	{"dog handling",medic,drone}	55.6
141	29	Ursina Bürgi	rescuer	2023-06-27	\N	{"dog handling",medic}	83.0
142	23	Céline Egli	rescuer	2007-10-22	\N	{}	47.4
143	17	Hanna Imboden	trainee	2018-03-18	\N	{}	\N
144	1	Madlaina L'Eplattenier	rescuer	2016-08-31	\N	{drone}	71.2
145	25	Séverine O'Neill	rescuer	2012-07-18	\N	{rope,transceiver,"dog handling",medic}	57.2
146	8	Beat Salis	rescuer	2007-08-26	\N	{}	66.8
147	1	Flurin Zgraggen	leader	2012-10-29	2020-03-24	{rope,snowmobile,drone}	42.4
148	14	Lea Caduff	leader	2020-08-08	\N	{transceiver,"dog handling"}	50.2
149	31	Regula Favre	rescuer	2009-03-06	\N	{medic,snowmobile,drone,"cave, flooded"}	58.2
150	2	Aline Jäggi	rescuer	2004-01-21	\N	{}	93.3
151	13	Edith Monnet	trainee	2010-02-01	\N	{"dog handling",medic,"cave, flooded"}	56.7
152	3	Jolanda Pfister	rescuer	2008-12-19	\N	{}	66.6
153	20	Odile Théler	trainee	2009-01-28	\N	{}	66.3
154	4	Vreni Abderhalden	rescuer	2013-03-12	\N	{rope,transceiver,medic,snowmobile,drone,"cave, flooded"}	43.7
155	22	Corsin D'Angelo	rescuer	2016-02-01	\N	{rope,snowmobile,"cave, flooded"}	41.5
156	29	Ivo Gämperle	rescuer	2005-01-21	2020-05-02	{snowmobile,"cave, flooded"}	69.5
157	6	Mirjam Kälin	rescuer	2019-01-08	\N	{snowmobile}	73.5
158	14	Tobias Näf	leader	2008-02-12	\N	{}	79.9
159	8	Bruna Rüegg	rescuer	2010-02-08	\N	{rope,transceiver,drone}	64.6
160	8	Gian Von Allmen	trainee	2004-06-15	\N	{rope,transceiver,drone}	53.5
\.


--
-- Name: volunteers_volunteer_id_seq; Type: SEQUENCE SET; Schema: public; Owner: root
--

SELECT pg_catalog.setval('public.volunteers_volunteer_id_seq', 160, true);


--
-- Name: volunteers volunteers_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.volunteers
    ADD CONSTRAINT volunteers_pkey PRIMARY KEY (volunteer_id);


--
-- Name: volunteers_skills_idx; Type: INDEX; Schema: public; Owner: root
--

CREATE INDEX volunteers_skills_idx ON public.volunteers USING gin (skills);


--
-- Name: volunteers volunteers_base_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.volunteers
    ADD CONSTRAINT volunteers_base_id_fkey FOREIGN KEY (base_id) REFERENCES public.bases(base_id);


--
-- PostgreSQL database dump complete
--
